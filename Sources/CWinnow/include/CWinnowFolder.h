// SPDX-License-Identifier: Apache-2.0

/// What the rotation of files does in their folder: all names are relative to an open folder, so that
/// one that is moved meanwhile misdirects nothing.
///
/// MT-Safe; AS-Unsafe what lists a folder or formats a name. Source: specs study, section 7.3.

#ifndef CWINNOW_FOLDER_H
#define CWINNOW_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is known of a file.
typedef struct cwinnow_file_facts {
    uint64_t device, inode;
    uint64_t byte_count;
    /// When it was made, where the file system knows, else when it was changed last; and the
    /// latter. In nanoseconds since 1970: 0 for what lies before, the greatest number for what lies
    /// too far ahead.
    uint64_t born, modified;
    /// A regular file, and no link to one.
    bool is_regular;
} cwinnow_file_facts;

/// Opens a folder; returns a descriptor or -errno.
int32_t cwinnow_folder_open(const char *_Nonnull path);

/// Writes the path of the working directory, getcwd(3); returns 0, or -errno: -ERANGE where it is
/// longer than the size allows.
int32_t cwinnow_folder_current(char *_Nonnull ret_path, size_t size);

/// Calls the body with each name in the folder; returns 0 or -errno.
int32_t cwinnow_folder_list(
    int32_t folder,
    void (*_Nonnull body)(void *_Nullable context, const char *_Nonnull name),
    void *_Nullable context);

/// Asks about a name, which is not followed where it is a link, statx(2); returns 0 or -errno.
int32_t cwinnow_folder_facts(
    int32_t folder, const char *_Nonnull name, cwinnow_file_facts *_Nonnull ret_facts);

/// Asks about an open file, statx(2); returns 0 or -errno.
int32_t cwinnow_descriptor_facts(int32_t file, cwinnow_file_facts *_Nonnull ret_facts);

/// Gives a file another name, renameat2(2); -EEXIST where the name is taken. On a file system without
/// RENAME_NOREPLACE, by a second name for a moment, linkat(2); without hard links as well, by a look at
/// the name and rename(2): the caller has the lock of the folder, which keeps other processes of Winnow
/// from the name in between. Returns 0 or -errno.
int32_t cwinnow_folder_rename(
    int32_t folder, const char *_Nonnull from, const char *_Nonnull to);

/// Removes a name, unlinkat(2); returns 0 or -errno.
int32_t cwinnow_folder_remove(int32_t folder, const char *_Nonnull name);

/// Returns the bytes that the process may still write to the file system of a folder, statvfs(3); the
/// greatest number where that is not known, as on one of a network that says nothing of its size.
uint64_t cwinnow_folder_free_bytes(int32_t folder);

/// Makes a symbolic link, and puts it in the place of another link at once; -EEXIST where the name is
/// that of anything but a link. Returns 0 or -errno.
int32_t cwinnow_folder_link(
    int32_t folder, const char *_Nonnull target, const char *_Nonnull name);

/// Opens a regular file of the folder for reading, no link; returns a descriptor or -errno.
int32_t cwinnow_folder_open_file(int32_t folder, const char *_Nonnull name);

/// Makes a file for writing that does not exist yet, like another one, and until it is so for its
/// owner only; returns a descriptor or -errno.
int32_t cwinnow_folder_make_like(
    int32_t folder, const char *_Nonnull name, int32_t other);

/// Gives a file the permissions of another and, where the process may do so, its owner and its group;
/// where the group stays another one, it gets none of the permissions, fchown(2), fchmod(2).
void cwinnow_descriptor_become_like(int32_t file, int32_t other);

/// Returns those of the permissions that a new file may have before it becomes like another: those
/// that this one has as well, and for a group only where it is the process's. All of them where the
/// other descriptor is not open.
uint32_t cwinnow_descriptor_mode_like(int32_t other, uint32_t mode);

/// Gives a file the time of the last change of another, futimens(3).
void cwinnow_descriptor_copy_time(int32_t file, int32_t other);

/// Waits until a file, or the names in a folder, are on the disk, fsync(2); returns 0 or -errno.
int32_t cwinnow_file_sync(int32_t file);

/// Opens a regular file to read it. MT-Safe, AS-Safe.
int32_t cwinnow_file_open(const char *_Nonnull path);

/// Reads what is there of so many bytes from an offset on, pread(2); returns how many are. MT-Safe, AS-Safe.
int64_t cwinnow_file_read(
    int32_t file, uint64_t offset, uint8_t *_Nonnull bytes, size_t count);

/// Whether an open file, to which the path leads, ends within a line: 1, or 0; -ESTALE where the
/// path leads elsewhere, or -errno, as where the file may not be read.
int32_t cwinnow_file_ends_within_line(int32_t file, const char *_Nonnull path);

/// Takes the lock of an open file, flock(2), where nobody has it; returns 0, -EWOULDBLOCK or -errno.
/// It ends with the descriptor and all copies of that, which the child of a fork(2) has too.
int32_t cwinnow_descriptor_lock(int32_t file);

/// Gives the lock back.
void cwinnow_descriptor_unlock(int32_t file);

/// Returns the second at which the next hour, or the next day, begins in the local time zone, which
/// is always later than the given one; with a time zone that leaves midnight out, the first second of
/// the day. Source: mktime(3). MT-Safe env locale, AS-Unsafe.
int64_t cwinnow_clock_next_hour(int64_t second);
int64_t cwinnow_clock_next_day(int64_t second);

/// Lowers the priority of this thread, setpriority(2).
void cwinnow_thread_be_nice(void);

#ifdef __cplusplus
}
#endif

#endif
