// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "neighbors.h"

#include <string.h>

#include "name.h"

#pragma GCC visibility push(protected)

/// The kinds of context descriptors that matter, in the five low bits of the first word.
#define KIND_MASK 31u
#define KIND_MODULE 0u
#define KIND_FIRST_TYPE 16u

/// Where the parts of a descriptor are: of a module its name, of a type the function that gives its
/// metadata; of both the context around it.
#define PARENT_OFFSET 4
#define MODULE_NAME_OFFSET 8
#define ACCESSOR_OFFSET 12

/// The contexts within each other that are looked at: more is no program's, but a loop.
#define DEPTH_LIMIT 16

/// Follows a pointer that is relative to where it stands, and may point to a pointer. The low bits
/// of `mask` are flags, of which the lowest says which of both it is. Returns 0 for none.
static uintptr_t follow(const cwinnow_memory *memory, uintptr_t place, uint32_t mask) {
    uint32_t word;
    if (!cwinnow_memory_word(memory, place, &word) || (word & ~mask) == 0) {
        return 0;
    }
    uintptr_t target = place + (uintptr_t)(intptr_t)(int32_t)(word & ~mask);
    if ((word & mask & 1) == 0) {
        return target;
    }
    uintptr_t pointer;
    return cwinnow_memory_pointer(memory, target, &pointer) ? pointer : 0;
}

/// The name of the module that a context is in, or NULL.
static const char *module_of(const cwinnow_memory *memory, uintptr_t context) {
    for (int depth = 0; context != 0 && depth < DEPTH_LIMIT; depth++) {
        uint32_t flags;
        if (!cwinnow_memory_word(memory, context, &flags)) {
            return NULL;
        }
        if ((flags & KIND_MASK) == KIND_MODULE) {
            return cwinnow_memory_string(
                memory, follow(memory, context + MODULE_NAME_OFFSET, 0));
        }
        context = follow(memory, context + PARENT_OFFSET, 1);
    }
    return NULL;
}

/// The accessor of a type's metadata, or 0 for what has none.
static uintptr_t accessor_of(const cwinnow_memory *memory, uintptr_t context) {
    uint32_t flags;
    if (!cwinnow_memory_word(memory, context, &flags) ||
        (flags & KIND_MASK) < KIND_FIRST_TYPE) {
        return 0;
    }
    uintptr_t accessor = follow(memory, context + ACCESSOR_OFFSET, 0);
    return cwinnow_memory_is_code(memory, accessor) ? accessor : 0;
}

bool cwinnow_neighbors_find(const cwinnow_memory *memory, uintptr_t types, uint64_t types_size,
                            uintptr_t address, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]) {
    uintptr_t below = 0, above = UINTPTR_MAX;
    uintptr_t below_context = 0, above_context = 0;
    if (types_size == 0 || cwinnow_memory_at(memory, types, (size_t)types_size) == NULL) {
        return false;
    }
    for (uint64_t offset = 0; offset + 4 <= types_size; offset += 4) {
        uintptr_t context = follow(memory, types + (uintptr_t)offset, 3);
        uintptr_t accessor = accessor_of(memory, context);
        if (accessor != 0 && accessor <= address && accessor >= below) {
            below = accessor;
            below_context = context;
        } else if (accessor > address && accessor < above) {
            above = accessor;
            above_context = context;
        }
    }
    // The compiler puts the accessors behind the functions of a file: the one above is the likelier.
    const char *name = module_of(memory, above_context);
    name = name == NULL ? module_of(memory, below_context) : name;
    if (name == NULL || name[0] == 0) {
        return false;
    }
    cwinnow_name_write(ret_name, name, strlen(name));
    return true;
}
