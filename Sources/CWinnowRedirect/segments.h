// SPDX-License-Identifier: Apache-2.0

/// The memory that an object of the process was loaded to, read with its bounds checked.

#ifndef CWINNOW_SEGMENTS_H
#define CWINNOW_SEGMENTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The segments of an object that are known; linkers make four to six.
#define CWINNOW_SEGMENT_LIMIT 16

typedef struct cwinnow_segment {
    uintptr_t low, high;
    bool is_code;
} cwinnow_segment;

/// The segments of an object that can be read.
typedef struct cwinnow_memory {
    cwinnow_segment segments[CWINNOW_SEGMENT_LIMIT];
    size_t count;
} cwinnow_memory;

/// Returns the segments of an object that the loader has told of.
cwinnow_memory cwinnow_memory_of(const struct dl_phdr_info *object);

/// Returns bytes in one of the segments, or NULL where they are in none.
static inline const uint8_t *cwinnow_memory_at(
    const cwinnow_memory *memory, uintptr_t address, size_t count) {
    for (size_t index = 0; index < memory->count; index++) {
        const cwinnow_segment *segment = &memory->segments[index];
        if (address >= segment->low && address < segment->high &&
            count <= segment->high - address) {
            return (const uint8_t *)address;
        }
    }
    return NULL;
}

/// Returns a string in one of the segments, or NULL where it is in none or does not end there.
const char *cwinnow_memory_string(const cwinnow_memory *memory, uintptr_t address);

/// Reads a number of 4 bytes; returns false where there is none.
bool cwinnow_memory_word(const cwinnow_memory *memory, uintptr_t address, uint32_t *ret_word);

/// Reads an address; returns false where there is none.
bool cwinnow_memory_pointer(
    const cwinnow_memory *memory, uintptr_t address, uintptr_t *ret_pointer);

/// Whether an address is one of code.
bool cwinnow_memory_is_code(const cwinnow_memory *memory, uintptr_t address);

#endif
