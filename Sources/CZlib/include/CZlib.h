// SPDX-License-Identifier: Apache-2.0

/// zlib, bound with dlopen(3) as libsystemd is: a program that compresses no file needs no zlib, and
/// a machine without its header builds Winnow.
///
/// Source: zlib manual, "File Access Functions", https://zlib.net/manual.html.

#ifndef CZLIB_H
#define CZLIB_H

#include <stdint.h>

/// Returns whether the library is there. MT-Safe, AS-Unsafe.
int32_t czlib_is_available(void);

/// Compresses what a file holds from its position on, in the format of gzip(1), and leaves the file at
/// its end. Both descriptors stay open. Returns the bytes that were read; -ENOSYS where there is no
/// zlib, else -errno. MT-Safe, AS-Unsafe.
int64_t czlib_compress(int32_t from, int32_t to);

#endif
