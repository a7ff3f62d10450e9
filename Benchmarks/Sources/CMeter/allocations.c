// SPDX-License-Identifier: Apache-2.0

// The program's own malloc(3) and its like, which every library in the process then calls: they
// count, and hand on to glibc's. The price, an increment and a jump, is in the figures of all.

#include "CMeter.h"

#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread uint64_t allocations __attribute__((tls_model("initial-exec")));

uint64_t cmeter_allocations(void) {
    return allocations;
}

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (memory == NULL) {
        return ENOMEM;
    }
    *ret_memory = memory;
    return 0;
}
