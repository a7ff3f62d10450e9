// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "CWinnowClock.h"
#include "CWinnowPrinted.h"

#pragma GCC visibility push(protected)

/// What a line's first bytes get: a page.
#define FIRST_CAPACITY ((size_t)4096)

/// The time, to some milliseconds, for little.
static uint64_t coarse_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Makes room, by the kernel: the thread may be within malloc(3), interrupted by a signal whose handler
/// prints.
static bool reserve(cwinnow_assembly *assembly, size_t size) {
    if (size <= assembly->capacity) {
        return true;
    }
    size_t capacity = assembly->capacity == 0 ? FIRST_CAPACITY : assembly->capacity;
    while (capacity < size) {
        capacity *= 2;
    }
    void *bytes = assembly->bytes == NULL
        ? mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        : mremap(assembly->bytes, assembly->capacity, capacity, MREMAP_MAYMOVE);
    if (bytes == MAP_FAILED) {
        return false;
    }
    assembly->bytes = bytes;
    assembly->capacity = capacity;
    return true;
}

static bool append(cwinnow_assembly *assembly, const char *bytes, size_t size) {
    if (!reserve(assembly, assembly->size + size)) {
        return false;
    }
    memcpy(assembly->bytes + assembly->size, bytes, size);
    assembly->size += size;
    return true;
}

void cwinnow_assembly_end(cwinnow_assembly *assembly, cwinnow_line_end end,
    cwinnow_assembly_sink sink, void *context) {
    if (assembly->size > 0) {
        sink(context, assembly->bytes, assembly->size, end);
        assembly->size = 0;
    }
}

/// Adds what stands before a newline, or before the end of what is there. Returns false without
/// memory.
static bool add_piece(cwinnow_assembly *assembly, const char *bytes, size_t size, bool is_ended,
    cwinnow_assembly_sink sink, void *context) {
    if (is_ended && assembly->size == 0) {
        sink(context, bytes, size, CWINNOW_LINE_END_NEWLINE);
        return true;
    }
    if (!append(assembly, bytes, size)) {
        return false;
    }
    if (is_ended) {
        sink(context, assembly->bytes, assembly->size, CWINNOW_LINE_END_NEWLINE);
        assembly->size = 0;
    } else {
        assembly->touched = coarse_now();
    }
    return true;
}

size_t cwinnow_assembly_add(cwinnow_assembly *assembly, const char *bytes, size_t size,
    cwinnow_assembly_sink sink, void *context) {
    size_t taken = 0;
    while (taken < size) {
        const char *start = bytes + taken;
        size_t rest = size - taken;
        size_t room = CWINNOW_LINE_SIZE - assembly->size;
        // One byte more than there is room for: the newline of a line that just fits.
        const char *newline = memchr(start, '\n', rest < room + 1 ? rest : room + 1);
        size_t piece = newline != NULL ? (size_t)(newline - start) : rest < room ? rest : room;
        if (!add_piece(assembly, start, piece, newline != NULL, sink, context)) {
            break;
        }
        taken += piece + (newline != NULL);
        if (newline == NULL && taken < size) {
            cwinnow_assembly_end(assembly, CWINNOW_LINE_END_LENGTH, sink, context);
        }
    }
    return taken;
}

uint64_t cwinnow_assembly_time(const cwinnow_assembly *assembly, cwinnow_line_end end) {
    uint64_t now = cwinnow_clock_realtime();
    if (end == CWINNOW_LINE_END_NEWLINE || end == CWINNOW_LINE_END_LENGTH) {
        return now;
    }
    return now - (coarse_now() - assembly->touched);
}

void cwinnow_assembly_free(cwinnow_assembly *assembly) {
    if (assembly->bytes != NULL) {
        munmap(assembly->bytes, assembly->capacity);
    }
    *assembly = (cwinnow_assembly){0};
}
