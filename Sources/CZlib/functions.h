// SPDX-License-Identifier: Apache-2.0

/// The functions of zlib that are used, as its header declares them: see .ci/zlib-header.c.

#ifndef CZLIB_FUNCTIONS_H
#define CZLIB_FUNCTIONS_H

#define CZLIB_FUNCTIONS(each)                    \
    each(dopen, void *, (int, const char *))     \
    each(write, int, (void *, const void *, unsigned)) \
    each(close, int, (void *))

typedef struct czlib_library {
#define CZLIB_MEMBER(name, result, parameters) result(*name) parameters;
    CZLIB_FUNCTIONS(CZLIB_MEMBER)
#undef CZLIB_MEMBER
} czlib_library;

#endif
