// SPDX-License-Identifier: Apache-2.0

// What CZlib declares of zlib has the shape of what zlib's own header declares: this compiles.

#include "CZlib.h"
#include "functions.h"

#include <stddef.h>
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

// The structure of inflate(), member by member: what zlib's has in its place may be read as CZlib reads it.
#define SAME_PLACE(member)                                                                  \
    _Static_assert(offsetof(czlib_stream, member) == offsetof(z_stream, member)              \
                       && sizeof(((czlib_stream *)0)->member) == sizeof(((z_stream *)0)->member), \
                   "z_stream has " #member " where CZlib says");
SAME_PLACE(next_in)
SAME_PLACE(avail_in)
SAME_PLACE(total_in)
SAME_PLACE(next_out)
SAME_PLACE(avail_out)
SAME_PLACE(total_out)
SAME_PLACE(msg)
SAME_PLACE(state)
SAME_PLACE(zalloc)
SAME_PLACE(zfree)
SAME_PLACE(opaque)
SAME_PLACE(data_type)
SAME_PLACE(adler)
SAME_PLACE(reserved)
_Static_assert(sizeof(czlib_stream) == sizeof(z_stream), "a z_stream has no more members");
_Static_assert(CZLIB_NO_FLUSH == Z_NO_FLUSH && CZLIB_OK == Z_OK
                   && CZLIB_STREAM_END == Z_STREAM_END && CZLIB_MEM_ERROR == Z_MEM_ERROR
                   && CZLIB_BUF_ERROR == Z_BUF_ERROR && CZLIB_GZIP_WINDOW == MAX_WBITS + 16,
               "the constants are zlib's");

#define SAME_TYPE(function, type)                                                          \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&function), type),              \
                   #function " takes and returns what CZlib says");
SAME_TYPE(inflateInit2_, int (*)(z_streamp, int, const char *, int))
SAME_TYPE(inflate, int (*)(z_streamp, int))
SAME_TYPE(inflateReset, int (*)(z_streamp))
SAME_TYPE(inflateEnd, int (*)(z_streamp))

int main(void) {
    return dopen == 0;
}
