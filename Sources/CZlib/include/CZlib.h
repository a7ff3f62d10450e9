// SPDX-License-Identifier: Apache-2.0

/// zlib, bound with dlopen(3) as libsystemd is: a program that compresses no file needs no zlib, and
/// a machine without its header builds Winnow.
///
/// Source: zlib manual, "File Access Functions" and "Advanced Functions", https://zlib.net/manual.html.

#ifndef CZLIB_H
#define CZLIB_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns whether the library is there. MT-Safe, AS-Unsafe.
int32_t czlib_is_available(void);

/// Compresses what a file holds from its position on, in the format of gzip(1), and leaves the file at
/// its end. Both descriptors stay open. Returns the bytes that were read; -ENOSYS where there is no
/// zlib, else -errno. MT-Safe, AS-Unsafe.
int64_t czlib_compress(int32_t from, int32_t to);

/// What a reading comes to where the file is not as gzip(1) wrote it, or only a part of that.
enum { czlib_damaged = EBADMSG, czlib_truncated = ENODATA };

/// A file in the format of gzip(1) that is being read, from a descriptor that stays its owner's.
/// One thread at a time.
typedef struct czlib_reader czlib_reader;

/// Begins to read such a file, of which the first bytes were read already; they are copied. Returns
/// NULL where there is no memory, or no zlib: see `czlib_is_available`. MT-Safe, AS-Unsafe heap.
czlib_reader *_Nullable czlib_reader_open(
    int32_t from, const uint8_t *_Nonnull head, size_t head_count);

/// Reads the next bytes of what was compressed. Returns how many, 0 at the end; a negated constant of
/// those above, else -errno. MT-Safe, AS-Unsafe heap.
int64_t czlib_reader_next(czlib_reader *_Nonnull reader, uint8_t *_Nonnull bytes, size_t count);

/// Gives back what the reading took. MT-Safe, AS-Unsafe heap.
void czlib_reader_close(czlib_reader *_Nonnull reader);

#ifdef __cplusplus
}
#endif

#endif
