// SPDX-License-Identifier: Apache-2.0

// What CZlib declares of zlib has the shape of what zlib's own header declares: this compiles.

#include "CZlib.h"
#include "functions.h"

#include <zlib.h>

// A `gzFile` is a pointer to a structure that only zlib's macros look into.
static void *(*const dopen)(int, const char *) = (void *(*)(int, const char *))gzdopen;
_Static_assert(__builtin_types_compatible_p(__typeof__(&gzdopen), gzFile (*)(int, const char *)),
               "gzdopen takes and returns what CZlib says");
_Static_assert(
    __builtin_types_compatible_p(__typeof__(&gzwrite), int (*)(gzFile, voidpc, unsigned)),
    "gzwrite takes and returns what CZlib says");
_Static_assert(__builtin_types_compatible_p(__typeof__(&gzclose), int (*)(gzFile)),
               "gzclose takes and returns what CZlib says");
_Static_assert(sizeof(gzFile) == sizeof(void *), "a gzFile is a pointer");

int main(void) {
    return dopen == 0;
}
