// SPDX-License-Identifier: Apache-2.0

/// A shared object in C.

typedef const char *probe(void);

const char *shared_call(probe *function) {
    const char *origin = function();
    __asm__ volatile("" ::: "memory");
    return origin;
}

static const char *call(probe *function) {
    const char *origin = function();
    __asm__ volatile("" ::: "memory");
    return origin;
}

const char *shared_static(probe *function) {
    const char *origin = call(function);
    __asm__ volatile("" ::: "memory");
    return origin;
}
