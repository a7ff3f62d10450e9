// SPDX-License-Identifier: Apache-2.0

/// The functions of zlib that are used, as its header declares them: see .ci/zlib-header.c.

#ifndef CZLIB_FUNCTIONS_H
#define CZLIB_FUNCTIONS_H

#include <stddef.h>

// What inflate() reads and writes: `z_stream`.
typedef struct czlib_stream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned, unsigned);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} czlib_stream;

enum {
    CZLIB_NO_FLUSH = 0,
    CZLIB_OK = 0,
    CZLIB_STREAM_END = 1,
    CZLIB_MEM_ERROR = -4,
    CZLIB_BUF_ERROR = -5,
    // The largest window, and the header and trailer of gzip.
    CZLIB_GZIP_WINDOW = 15 + 16,
};

// The version of the interface whose structure this is: only the first digit is compared.
#define CZLIB_VERSION "1"

#define CZLIB_FUNCTIONS(each)                             \
    each(gzdopen, void *, (int, const char *))            \
    each(gzwrite, int, (void *, const void *, unsigned))  \
    each(gzclose, int, (void *))                          \
    each(inflateInit2_, int, (czlib_stream *, int, const char *, int)) \
    each(inflate, int, (czlib_stream *, int))             \
    each(inflateReset, int, (czlib_stream *))             \
    each(inflateEnd, int, (czlib_stream *))

typedef struct czlib_library {
#define CZLIB_MEMBER(name, result, parameters) result(*name) parameters;
    CZLIB_FUNCTIONS(CZLIB_MEMBER)
#undef CZLIB_MEMBER
} czlib_library;

/// The library, once `czlib_is_available` has said that it is there.
extern czlib_library czlib_bound;

#endif
