// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "segments.h"

#include <string.h>

#pragma GCC visibility push(protected)

cwinnow_memory cwinnow_memory_of(const struct dl_phdr_info *object) {
    cwinnow_memory memory = {.count = 0};
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        uintptr_t low = object->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD || (header->p_flags & PF_R) == 0 ||
            memory.count == CWINNOW_SEGMENT_LIMIT || low + header->p_memsz < low) {
            continue;
        }
        memory.segments[memory.count++] = (cwinnow_segment){
            low, low + header->p_memsz, (header->p_flags & PF_X) != 0};
    }
    return memory;
}

const char *cwinnow_memory_string(const cwinnow_memory *memory, uintptr_t address) {
    for (size_t index = 0; index < memory->count; index++) {
        const cwinnow_segment *segment = &memory->segments[index];
        if (address >= segment->low && address < segment->high) {
            const char *string = (const char *)address;
            return memchr(string, 0, segment->high - address) == NULL ? NULL : string;
        }
    }
    return NULL;
}

bool cwinnow_memory_word(const cwinnow_memory *memory, uintptr_t address, uint32_t *ret_word) {
    const uint8_t *bytes = cwinnow_memory_at(memory, address, sizeof *ret_word);
    if (bytes != NULL) {
        memcpy(ret_word, bytes, sizeof *ret_word);
    }
    return bytes != NULL;
}

bool cwinnow_memory_pointer(
    const cwinnow_memory *memory, uintptr_t address, uintptr_t *ret_pointer) {
    const uint8_t *bytes = cwinnow_memory_at(memory, address, sizeof *ret_pointer);
    if (bytes == NULL) {
        return false;
    }
    if (address % sizeof *ret_pointer == 0) {
        // The loader may be writing a slot of the global offset table.
        *ret_pointer = __atomic_load_n((const uintptr_t *)address, __ATOMIC_RELAXED);
    } else {
        memcpy(ret_pointer, bytes, sizeof *ret_pointer);
    }
    return true;
}

bool cwinnow_memory_is_code(const cwinnow_memory *memory, uintptr_t address) {
    for (size_t index = 0; index < memory->count; index++) {
        const cwinnow_segment *segment = &memory->segments[index];
        if (segment->is_code && address >= segment->low && address < segment->high) {
            return true;
        }
    }
    return false;
}
