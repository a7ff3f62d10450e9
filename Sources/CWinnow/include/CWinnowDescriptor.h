// SPDX-License-Identifier: Apache-2.0

/// File descriptors: calls whose flags are C macros that Swift does not import.
///
/// None is retried on EINTR but where it says so. MT-Safe, AS-Safe all of them but
/// `cwinnow_descriptor_reopen_nonblocking` and `cwinnow_descriptor_memory_file`, which format a path:
/// AS-Unsafe.

#ifndef CWINNOW_DESCRIPTOR_H
#define CWINNOW_DESCRIPTOR_H

#include <errno.h> // For Swift: the numbers, whichever libc it is.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWinnowWrite.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the process has a limit to the size of files, getrlimit(2).
bool cwinnow_descriptor_has_size_limit(void);

/// Takes back what was appended last: cuts the file to `start` bytes if it has `end` of them now,
/// ftruncate(2); 0, -EBUSY where others have appended since, or -errno. Another process that
/// appends between the look and the cut loses what it wrote: a file has no call that does both.
int32_t cwinnow_descriptor_take_back(int32_t descriptor, uint64_t start, uint64_t end);

/// Where the next byte would go, or went last with O_APPEND, lseek(2); or -errno.
int64_t cwinnow_descriptor_position(int32_t descriptor);

/// The number of bytes in the file, fstat(2); or -errno.
int64_t cwinnow_descriptor_size(int32_t descriptor);

/// The number of names that the file has, fstat(2): 0 once it was deleted; or -errno.
int64_t cwinnow_descriptor_links(int32_t descriptor);

/// What `cwinnow_descriptor_kind` tells apart.
enum {
    CWINNOW_KIND_FILE = 0,
    CWINNOW_KIND_PIPE = 1,
    CWINNOW_KIND_SOCKET = 2,
    CWINNOW_KIND_TERMINAL = 3,
    CWINNOW_KIND_DEVICE = 4,
};

/// What the descriptor is, a `CWINNOW_KIND_`; or -errno.
///
/// -EBADF for what has no type, such as an epoll(7) or an eventfd(2): in a program that was started
/// without a standard stream, the runtime gives them its number, and an eventfd takes what is written.
int32_t cwinnow_descriptor_kind(int32_t descriptor);

/// Opens what the descriptor is open on once more, for writing and with O_NONBLOCK, by way of
/// proc(5). The flags of the given descriptor, which other processes may share, stay as they are.
/// Returns a descriptor or -errno: -EACCES where the pipe or terminal belongs to another user,
/// -ENXIO for a pipe that nobody reads.
int32_t cwinnow_descriptor_reopen_nonblocking(int32_t descriptor);

/// Waits until bytes can be written, ppoll(2): 1 if so, 0 when the time has passed, or -errno.
int32_t cwinnow_descriptor_wait_writable(int32_t descriptor, int32_t milliseconds);

/// Opens a regular file for appending: O_APPEND, O_CREAT, O_CLOEXEC, O_NOFOLLOW, O_NOCTTY.
/// Refuses what is not a regular file (-EINVAL; -ELOOP for a symbolic link; -EISDIR; -ENXIO for a
/// FIFO that nobody reads) and what has a second name (-EMLINK), so that a planted link or FIFO
/// cannot misdirect or stall the log. Returns a descriptor or -errno.
/// Source: specs study, section 7.3; open(2).
int32_t cwinnow_descriptor_open_append(const char *_Nonnull path, uint32_t mode);

/// Makes an empty memory file that can be sealed, memfd_create(2), and returns it, or -errno. MT-Safe, AS-Safe.
int32_t cwinnow_descriptor_make_memory_file(const char *_Nonnull name);

/// Makes a memory file that holds the bytes and is sealed against every change, memfd_create(2);
/// where the process may make none, a file without a name in /dev/shm, which nothing seals. Returns
/// a descriptor or -errno. Source: the journal's native protocol.
int32_t cwinnow_descriptor_sealed_copy(
    const char *_Nonnull name, const uint8_t *_Nullable bytes, size_t count);

/// Closes the descriptor, close(2); 0 or -errno.
int32_t cwinnow_descriptor_close(int32_t descriptor);

/// Copies the descriptor with FD_CLOEXEC, at 3 or above; returns the copy or -errno.
int32_t cwinnow_descriptor_copy(int32_t descriptor);

/// Returns the descriptor, or a copy at 3 or above in its place; or -errno. In a program that
/// has closed its stdout, `print` would otherwise write to the log.
int32_t cwinnow_descriptor_move_up(int32_t descriptor);

/// Takes the numbers of the standard streams that the program has closed, so that what is opened next gets
/// none of them: another thread may be printing there. Returns those that it has taken, as bits, for
/// `cwinnow_descriptor_release_standard`. MT-Safe, AS-Safe.
uint32_t cwinnow_descriptor_hold_standard(void);
void cwinnow_descriptor_release_standard(uint32_t held);

/// Whether the descriptor is of a pipe that has no name, and nobody to read it. MT-Safe, AS-Safe.
bool cwinnow_descriptor_is_abandoned_pipe(int32_t descriptor);

/// Gives a pipe room for so many bytes; a negated errno value where it has as much, is no pipe, or may not
/// have it: pipe(7). MT-Safe, AS-Safe.
int32_t cwinnow_descriptor_grow_pipe(int32_t descriptor, int32_t byte_count);

/// Whether the descriptor is a terminal, isatty(3).
bool cwinnow_descriptor_is_terminal(int32_t descriptor);

/// The device and inode of the descriptor, fstat(2); 0 or -errno.
int32_t cwinnow_descriptor_identity(
    int32_t descriptor, uint64_t *_Nonnull ret_device, uint64_t *_Nonnull ret_inode);

/// The device and inode of what stands at the path, be it a symbolic link, lstat(2); 0 or -errno.
int32_t cwinnow_path_identity(
    const char *_Nonnull path, uint64_t *_Nonnull ret_device, uint64_t *_Nonnull ret_inode);

/// Whether the process may read the file at the path, access(2), and need not wait for it: 0,
/// -errno, or -EINVAL for a FIFO, a device or another one that is not regular.
int32_t cwinnow_path_is_readable(const char *_Nonnull path);

/// Whether the descriptor's other end is a socket of journald's, by its path.
/// Source: GLib's g_log_writer_is_journald(); unix(7).
bool cwinnow_descriptor_peer_is_journal(int32_t descriptor);

/// Notes that descriptor 1 or 2 is captured, and the copy of what it was before; -1 where it no
/// longer is. MT-Safe, AS-Safe.
void cwinnow_descriptor_set_captured(int32_t descriptor, int32_t original);
/// Returns the descriptor that leads where this one does when it is not captured: what we write
/// there must not come back to us. MT-Safe, AS-Safe.
int32_t cwinnow_descriptor_original(int32_t descriptor);

#ifdef __cplusplus
}
#endif

#endif
