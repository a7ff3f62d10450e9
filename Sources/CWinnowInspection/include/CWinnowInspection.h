// SPDX-License-Identifier: Apache-2.0

/// What the tool `winnow` needs of libc and of the Swift runtime, and the library does not.
///
/// Swift on Linux has libc under two names, and its own demangler under none.

#ifndef CWINNOW_INSPECTION_H
#define CWINNOW_INSPECTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Opens a regular file for reading, open(2), and never waits, as for the writer of a FIFO.
/// Returns a descriptor; -EISDIR for a folder, -EINVAL for what else is no regular file, or -errno.
/// MT-Safe, AS-Safe.
int32_t cwinnow_inspection_open(const char *_Nonnull path, uint64_t *_Nonnull ret_size);

/// Reads bytes from an offset, pread(2), again on EINTR and after a part. Returns how many, fewer
/// than asked for only where the file ends, or -errno. MT-Safe, AS-Safe.
int64_t cwinnow_inspection_read(
    int32_t descriptor, uint64_t offset, uint8_t *_Nonnull bytes, size_t count);

/// Opens a file, a pipe or a device for reading, open(2); waits for the writer of a FIFO. Returns a
/// descriptor, or -errno. MT-Safe, AS-Safe.
int32_t cwinnow_inspection_open_stream(const char *_Nonnull path);

/// Reads the next bytes, read(2), again on EINTR. Returns how many, 0 at the end, or -errno.
/// MT-Safe, AS-Safe.
int64_t cwinnow_inspection_read_next(int32_t descriptor, uint8_t *_Nonnull bytes, size_t count);

/// Closes the descriptor, close(2). MT-Safe, AS-Safe.
void cwinnow_inspection_close(int32_t descriptor);

/// Returns the Swift name of a symbol, in memory to be given back by `cwinnow_inspection_free`;
/// NULL where the symbol is not Swift's. Source: swift_demangle() of the Swift runtime. MT-Safe,
/// AS-Unsafe heap.
char *_Nullable cwinnow_inspection_demangle(const char *_Nonnull symbol, size_t count);

/// Gives back a name, free(3). MT-Safe, AS-Unsafe heap.
void cwinnow_inspection_free(char *_Nullable name);

#ifdef __cplusplus
}
#endif

#endif
