// SPDX-License-Identifier: Apache-2.0

/// What the tool `winnow` needs of libc and of the Swift runtime, and the library does not.
///
/// Swift on Linux has libc under two names, and its own demangler under none.

#ifndef CWINNOW_INSPECTION_H
#define CWINNOW_INSPECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWinnowControl.h"

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

/// Reads where a symbolic link leads, readlink(2), and ends the text. Returns its bytes, cut to what has room, or
/// -errno. MT-Safe, AS-Safe.
int32_t cwinnow_inspection_link(const char *_Nonnull path, char *_Nonnull ret_text, size_t size);

/// Calls the body with each name in a folder, readdir(3). Returns 0 or -errno. MT-Safe, AS-Unsafe heap.
int32_t cwinnow_inspection_list(
    const char *_Nonnull path, void (*_Nonnull body)(void *_Nullable, const char *_Nonnull),
    void *_Nullable context);

/// Maps the control page of a process for writing, mmap(2). Returns NULL and sets the error: -errno, -EBADF where the
/// file could be cut while it is mapped or is no control page, -EPERM where the process lets others only read.
/// MT-Safe, AS-Safe.
void *_Nullable cwinnow_inspection_map_control(
    const char *_Nonnull path, int32_t *_Nonnull ret_descriptor, int32_t *_Nonnull ret_error);

/// Gives a page back, and the descriptor. MT-Safe, AS-Safe.
void cwinnow_inspection_unmap_control(void *_Nonnull page, int32_t descriptor);

/// Writes an order into its slot, whose number it gives, once nobody else writes one: see `cwinnow_control_order`. Returns its number,
/// or -EAGAIN if somebody has kept the file for a second. MT-Safe, AS-Safe.
int64_t cwinnow_inspection_give_order(
    void *_Nonnull page, int32_t descriptor, const cwinnow_control_order *_Nonnull order);

/// Has the calls of all categories look for an order. MT-Safe, AS-Safe.
void cwinnow_inspection_have_look(void *_Nonnull page);

/// Copies what a process says of itself; returns 0, or -EAGAIN if it has written that all the time. MT-Safe, AS-Safe.
int32_t cwinnow_inspection_copy_state(
    const void *_Nonnull page, cwinnow_control_state *_Nonnull ret_state);

/// Returns whether an order is the last one of its place. MT-Safe, AS-Safe.
bool cwinnow_inspection_is_last(const void *_Nonnull page, uint32_t slot, uint32_t number);

/// Returns the user of this process, getuid(2). MT-Safe, AS-Safe.
uint32_t cwinnow_inspection_user(void);

/// Returns how many lines a terminal has, ioctl_tty(2), TIOCGWINSZ; 24 if it does not know, 0 if it is none. MT-Safe,
/// AS-Safe.
int32_t cwinnow_inspection_terminal_lines(int32_t descriptor);

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
