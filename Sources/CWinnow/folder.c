// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowFolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "CWinnowDescriptor.h"
#include "CWinnowThread.h"

#pragma GCC visibility push(protected)

int32_t cwinnow_folder_open(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder < 0 ? -errno : cwinnow_descriptor_move_up(folder);
}

int32_t cwinnow_folder_current(char *ret_path, size_t size) {
    return getcwd(ret_path, size) == NULL ? -errno : 0;
}

int32_t cwinnow_folder_list(
    int32_t folder, void (*body)(void *context, const char *name), void *context) {
    // A description of its own, as one that is shared has one position for all.
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0) {
        return -errno;
    }
    DIR *names = fdopendir(own);
    if (names == NULL) {
        int failure = errno;
        close(own);
        return -failure;
    }
    errno = 0;
    for (struct dirent *entry; (entry = readdir(names)) != NULL; errno = 0) {
        body(context, entry->d_name);
    }
    int failure = errno;
    closedir(names);
    return -failure;
}

static uint64_t nanoseconds(struct statx_timestamp time) {
    if (time.tv_sec < 0) {
        return 0;
    }
    uint64_t seconds = (uint64_t)time.tv_sec;
    return seconds < UINT64_MAX / 1000000000u ? seconds * 1000000000u + time.tv_nsec : UINT64_MAX;
}

static int32_t facts(
    int32_t folder, const char *name, int flags, cwinnow_file_facts *ret_facts) {
    struct statx status;
    unsigned wanted = STATX_BASIC_STATS | STATX_BTIME;
    if (statx(folder, name, flags | AT_NO_AUTOMOUNT, wanted, &status) < 0) {
        return -errno;
    }
    uint64_t modified = nanoseconds(status.stx_mtime);
    *ret_facts = (cwinnow_file_facts){
        .device = makedev(status.stx_dev_major, status.stx_dev_minor),
        .inode = status.stx_ino,
        .byte_count = status.stx_size,
        .born = (status.stx_mask & STATX_BTIME) != 0 ? nanoseconds(status.stx_btime) : modified,
        .modified = modified,
        .is_regular = S_ISREG(status.stx_mode),
    };
    return 0;
}

int32_t cwinnow_folder_facts(int32_t folder, const char *name, cwinnow_file_facts *ret_facts) {
    return facts(folder, name, AT_SYMLINK_NOFOLLOW, ret_facts);
}

int32_t cwinnow_descriptor_facts(int32_t file, cwinnow_file_facts *ret_facts) {
    return facts(file, "", AT_EMPTY_PATH, ret_facts);
}

int32_t cwinnow_folder_rename(int32_t folder, const char *from, const char *to) {
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) {
        return -errno;
    }
    if (linkat(folder, from, folder, to, 0) == 0) {
        return cwinnow_folder_remove(folder, from);
    }
    if (errno == EEXIST) {
        return -EEXIST;
    }
    // Whatever it was, as file systems without hard links have many words for that.
    struct stat status;
    if (fstatat(folder, to, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        return -EEXIST;
    }
    if (errno != ENOENT) {
        return -errno;
    }
    return renameat(folder, from, folder, to) < 0 ? -errno : 0;
}

int32_t cwinnow_folder_remove(int32_t folder, const char *name) {
    return unlinkat(folder, name, 0) < 0 ? -errno : 0;
}

uint64_t cwinnow_folder_free_bytes(int32_t folder) {
    struct statvfs status;
    if (fstatvfs(folder, &status) < 0 || status.f_blocks == 0) {
        return UINT64_MAX;
    }
    return (uint64_t)status.f_bavail * status.f_frsize;
}

int32_t cwinnow_folder_link(int32_t folder, const char *target, const char *name) {
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISLNK(status.st_mode)) {
        return -EEXIST;
    }
    // A thread's own: another one may just make a link for another sink.
    char other[64];
    snprintf(other, sizeof other, ".winnow-link-%d", (int)cwinnow_thread_id());
    unlinkat(folder, other, 0);
    if (symlinkat(target, folder, other) < 0) {
        return -errno;
    }
    if (renameat(folder, other, folder, name) < 0) {
        int failure = errno;
        unlinkat(folder, other, 0);
        return -failure;
    }
    return 0;
}

int32_t cwinnow_folder_open_file(int32_t folder, const char *name) {
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    return file < 0 ? -errno : cwinnow_descriptor_move_up(file);
}

int32_t cwinnow_folder_make_like(int32_t folder, const char *name, int32_t other) {
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
    int file = openat(folder, name, flags, 0600);
    if (file < 0) {
        return -errno;
    }
    cwinnow_descriptor_become_like(file, other);
    return cwinnow_descriptor_move_up(file);
}

void cwinnow_descriptor_become_like(int32_t file, int32_t other) {
    struct stat wanted, found;
    if (fstat(other, &wanted) < 0 || fstat(file, &found) < 0) {
        return;
    }
    // The owner first: chown(2) takes bits of the permissions away.
    bool is_owned_alike = wanted.st_uid == found.st_uid && wanted.st_gid == found.st_gid;
    if (!is_owned_alike && fchown(file, wanted.st_uid, wanted.st_gid) < 0) {
        // Only root gives files away, but others give them to their groups.
        found.st_gid = fchown(file, (uid_t)-1, wanted.st_gid) < 0 ? found.st_gid : wanted.st_gid;
    } else {
        found.st_gid = wanted.st_gid;
    }
    // What one group may do is none of another's business.
    mode_t mode = wanted.st_mode & (wanted.st_gid == found.st_gid ? 0777 : 0707);
    if (mode != (found.st_mode & 0777)) {
        fchmod(file, mode);
    }
}

uint32_t cwinnow_descriptor_mode_like(int32_t other, uint32_t mode) {
    struct stat wanted;
    if (fstat(other, &wanted) < 0) {
        return mode;
    }
    return mode & wanted.st_mode & (wanted.st_gid == getegid() ? 0777 : 0707);
}

void cwinnow_descriptor_copy_time(int32_t file, int32_t other) {
    struct stat status;
    if (fstat(other, &status) == 0) {
        struct timespec times[2] = {status.st_atim, status.st_mtim};
        futimens(file, times);
    }
}

int32_t cwinnow_file_sync(int32_t file) {
    // EINVAL: the file system has no such call for it, as some for their folders.
    return fsync(file) < 0 && errno != EINVAL ? -errno : 0;
}

// Whether a file ends within a line that nobody is about to end: 1, 0 or -errno.
//
// Who is within a write(2) may have written half of it. It has the lock of the inode until the end,
// and the seek and on some file systems the read wait for that: what has grown meanwhile is looked
// at anew.
static int32_t ends_within_line(int reader) {
    struct stat status;
    if (fstat(reader, &status) < 0) {
        return -errno;
    }
    // If the file keeps growing, its writer is alive and will end the line.
    for (int look = 0; look < 4; look++) {
        off_t size = status.st_size;
        char last = '\n';
        if (size > 0 && pread(reader, &last, 1, size - 1) < 0) {
            return -errno;
        }
        if (last == '\n') {
            return 0;
        }
        lseek(reader, size - 1, SEEK_DATA);
        if (fstat(reader, &status) < 0) {
            return -errno;
        }
        if (status.st_size == size) {
            return 1;
        }
    }
    return 0;
}

int32_t cwinnow_file_ends_within_line(int32_t file, const char *path) {
    struct stat status, found;
    if (fstat(file, &status) < 0) {
        return -errno;
    }
    // The descriptor that writes is not opened for reading as well, which many logs do not permit.
    int reader = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    if (reader < 0) {
        return -errno;
    }
    int32_t outcome;
    if (fstat(reader, &found) < 0) {
        outcome = -errno;
    } else if (found.st_ino != status.st_ino || found.st_dev != status.st_dev) {
        outcome = -ESTALE;
    } else {
        outcome = ends_within_line(reader);
    }
    close(reader);
    return outcome;
}

int32_t cwinnow_descriptor_lock(int32_t file) {
    return flock(file, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}

void cwinnow_descriptor_unlock(int32_t file) {
    flock(file, LOCK_UN);
}

int64_t cwinnow_clock_next_hour(int64_t second) {
    time_t now = (time_t)second;
    struct tm local;
    if (localtime_r(&now, &local) == NULL) {
        return second - second % 3600 + 3600;
    }
    return second + 3600 - local.tm_min * 60 - (local.tm_sec > 59 ? 59 : local.tm_sec);
}

int64_t cwinnow_clock_next_day(int64_t second) {
    time_t now = (time_t)second;
    struct tm local;
    if (localtime_r(&now, &local) == NULL) {
        return second - second % 86400 + 86400;
    }
    int today = local.tm_mday;
    local.tm_mday += 1;
    local.tm_hour = local.tm_min = local.tm_sec = 0;
    local.tm_isdst = -1;
    time_t next = mktime(&local);
    if (next == (time_t)-1) {
        return second - second % 86400 + 86400;
    }
    // Where the clocks go forward at midnight, mktime(3) may name the hour before it.
    for (int step = 0; step < 8; step++) {
        if (next > now && localtime_r(&next, &local) != NULL && local.tm_mday != today) {
            break;
        }
        next += 1800;
    }
    return next;
}

void cwinnow_thread_be_nice(void) {
    // Not the most that there is: the thread holds a lock now and then that a log call waits for.
    setpriority(PRIO_PROCESS, (id_t)cwinnow_thread_id(), 5);
}

int32_t cwinnow_file_open(const char *path) {
    // Opened for reading only then: to open a device may have an effect.
    struct stat status;
    if (stat(path, &status) < 0) {
        return -errno;
    }
    int file = S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    if (file < 0) {
        return S_ISREG(status.st_mode) ? -errno : -EINVAL;
    }
    return cwinnow_descriptor_move_up(file);
}

int64_t cwinnow_file_read(int32_t file, uint64_t offset, uint8_t *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t more = pread(file, bytes + done, count - done, (off_t)(offset + done));
        if (more == 0) {
            break;
        }
        if (more > 0) {
            done += (size_t)more;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return (int64_t)done;
}
