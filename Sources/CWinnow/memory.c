// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowMemory.h"

#include <stddef.h>
#include <sys/mman.h>

#pragma GCC visibility push(protected)

void *cwinnow_memory_make(uint64_t byte_count) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = mmap(NULL, (size_t)byte_count, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    // Else the first byte may take two megabytes.
    madvise(memory, (size_t)byte_count, MADV_NOHUGEPAGE);
    return memory;
}

void cwinnow_memory_free(void *memory, uint64_t byte_count) {
    munmap(memory, (size_t)byte_count);
}

void cwinnow_memory_discard(void *part, uint64_t byte_count) {
    madvise(part, (size_t)byte_count, MADV_DONTNEED);
}
