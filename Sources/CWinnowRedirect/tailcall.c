// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "tailcall.h"

#include "machine.h"
#include "objects.h"
#include "program.h"

#pragma GCC visibility push(protected)

/// The stubs that may stand between a call and its function: the linker's, and one of the loader's.
#define STUB_LIMIT 3

/// Finds the memory of the program or of the object that an address is in.
static bool memory_around(uintptr_t address, cwinnow_memory *ret_memory) {
    const cwinnow_program *program = cwinnow_program_prepare();
    if (cwinnow_memory_at(&program->memory, address, 1) != NULL) {
        *ret_memory = program->memory;
        return true;
    }
    return cwinnow_object_memory(address, ret_memory);
}

/// Takes a jump. Returns false where there is none, or nothing where it goes through.
static bool follow(const cwinnow_memory *memory, cwinnow_jump jump, uintptr_t *ret_target) {
    if (jump.kind == cwinnow_jump_indirect) {
        return cwinnow_memory_pointer(memory, jump.place, ret_target);
    }
    *ret_target = jump.place;
    return jump.kind == cwinnow_jump_direct;
}

bool cwinnow_call_target(uintptr_t return_address, uintptr_t *ret_target) {
    cwinnow_memory memory;
    uintptr_t call = return_address - CWINNOW_CALL_BYTES;
    if (!memory_around(return_address - 1, &memory) ||
        !cwinnow_memory_is_code(&memory, call) ||
        cwinnow_memory_at(&memory, call, CWINNOW_CALL_BYTES) == NULL ||
        !follow(&memory, cwinnow_machine_call((const uint8_t *)call, return_address), ret_target)) {
        return false;
    }
    for (int stubs = 0; stubs < STUB_LIMIT; stubs++) {
        uintptr_t next;
        if (!cwinnow_memory_is_code(&memory, *ret_target) ||
            cwinnow_memory_at(&memory, *ret_target, CWINNOW_STUB_BYTES) == NULL ||
            !follow(&memory,
                    cwinnow_machine_stub((const uint8_t *)*ret_target, *ret_target), &next)) {
            break;
        }
        *ret_target = next;
    }
    return true;
}
