// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "real.h"

#include <gnu/lib-names.h>
#include <string.h>

#pragma GCC visibility push(protected)

cwinnow_real cwinnow_real_functions;

/// The next object's function of the name, or else the first object's: where this code is part of
/// the program there is none before it, and where an object that was loaded later, one may be.
static void *find(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    return function != NULL ? function : dlsym(RTLD_DEFAULT, name);
}

/// A stream as the program starts with it: what its variable holds now may be a stream that the program
/// prints to for a while, and closes.
static FILE *find_stream(const char *name, FILE *present) {
    FILE *stream = dlsym(RTLD_DEFAULT, name);
    return stream != NULL ? stream : present;
}

static cwinnow_stood_for stood_for[CWINNOW_HOOK_LIMIT];

static void find_stood_for(void) {
    void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
    for (size_t index = 0; cwinnow_hooks[index].name != NULL; index++) {
        const char *name = cwinnow_hooks[index].name;
        stood_for[index].libc = libc == NULL ? NULL : dlsym(libc, name);
        stood_for[index].first = dlsym(RTLD_DEFAULT, name);
    }
    if (libc != NULL) {
        dlclose(libc);
    }
}

const cwinnow_hook *cwinnow_hook_named(const char *name) {
    for (const cwinnow_hook *hook = cwinnow_hooks; hook->name != NULL; hook++) {
        if (strcmp(hook->name, name) == 0) {
            return hook;
        }
    }
    return NULL;
}

const cwinnow_hook *cwinnow_hook_for(const void *function) {
    for (size_t index = 0; function != NULL && cwinnow_hooks[index].name != NULL; index++) {
        if (stood_for[index].libc == function || stood_for[index].first == function) {
            return &cwinnow_hooks[index];
        }
    }
    return NULL;
}

const cwinnow_stood_for *cwinnow_real_of(const cwinnow_hook *hook) {
    return &stood_for[hook - cwinnow_hooks];
}

bool cwinnow_real_find(void) {
    cwinnow_real *real = &cwinnow_real_functions;
    static bool is_found;
    if (is_found) {
        return true;
    }
    // Source: glibc, libio/stdfiles.c; musl has no such names, and no variable.
    real->streams[1] = find_stream("_IO_2_1_stdout_", stdout);
    real->streams[2] = find_stream("_IO_2_1_stderr_", stderr);
    // POSIX has dlsym(3) return functions as pointers to void.
#define FIND(name)                                              \
    *(void **)(void *)&real->name##_function = find(#name);     \
    if (real->name##_function == NULL) {                        \
        return false;                                           \
    }
    CWINNOW_REAL_FUNCTIONS(FIND)
#undef FIND
    find_stood_for();
    is_found = true;
    return true;
}
