// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "real.h"

cwinnow_real cwinnow_real_functions;

/// The next object's function of the name, or else the first object's: where this code is part of
/// the program there is none before it, and where an object that was loaded later, one may be.
static void *find(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    return function != NULL ? function : dlsym(RTLD_DEFAULT, name);
}

bool cwinnow_real_find(void) {
    cwinnow_real *real = &cwinnow_real_functions;
    static bool is_found;
    if (is_found) {
        return true;
    }
    real->streams[1] = stdout;
    real->streams[2] = stderr;
    // POSIX has dlsym(3) return functions as pointers to void.
#define FIND(name)                                              \
    *(void **)(void *)&real->name##_function = find(#name);     \
    if (real->name##_function == NULL) {                        \
        return false;                                           \
    }
    CWINNOW_REAL_FUNCTIONS(FIND)
#undef FIND
    is_found = true;
    return true;
}
