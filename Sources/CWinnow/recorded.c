// SPDX-License-Identifier: Apache-2.0

/// The files of other processes that are dead.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CWinnowRecorded.h"

#pragma GCC visibility push(protected)

// Whether the name still leads to an open file: who has recovered it has removed it.
static bool is_named(int32_t folder, const char *name, const struct stat *file) {
    struct stat named;
    return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == file->st_ino
        && named.st_dev == file->st_dev;
}

int32_t cwinnow_recorded_look(
    int32_t folder, const char *name, uint64_t *ret_byte_count, uint32_t *ret_owner) {
    struct stat status;
    // First, as to open a device may have an effect.
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return -errno;
    }
    *ret_owner = status.st_uid;
    *ret_byte_count = (uint64_t)status.st_size;
    if (!S_ISREG(status.st_mode)) {
        return -EINVAL;
    }
    if (status.st_uid != geteuid()) {
        return -EPERM;
    }
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return -errno;
    }
    struct stat opened;
    if (fstat(file, &opened) != 0 || opened.st_ino != status.st_ino
        || opened.st_dev != status.st_dev) {
        close(file);
        return -ENOENT;
    }
    return file;
}

int32_t cwinnow_recorded_is_in_use(int32_t file) {
    if (flock(file, LOCK_SH | LOCK_NB) == 0) {
        flock(file, LOCK_UN);
        return 0;
    }
    return errno == EWOULDBLOCK ? 1 : -errno;
}

int32_t cwinnow_recorded_open(int32_t folder, const char *name, cwinnow_file_facts *ret_facts) {
    int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return -errno;
    }
    struct stat status;
    int failure = 0;
    if (fstat(file, &status) != 0) {
        failure = errno;
    } else if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
        failure = EPERM;
    } else if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        failure = errno;
    } else if (!is_named(folder, name, &status)) {
        failure = ENOENT;
    } else {
        failure = -cwinnow_descriptor_facts(file, ret_facts);
    }
    if (failure != 0) {
        close(file);
        return -failure;
    }
    return file;
}

cwinnow_recorder_state *cwinnow_recorded_hold(int32_t file) {
    void *page = mmap(NULL, cwinnow_recorder_unit, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      cwinnow_recorder_state_offset);
    if (page == MAP_FAILED) {
        return NULL;
    }
    madvise(page, cwinnow_recorder_unit, MADV_DONTFORK);
    return page;
}

void cwinnow_recorded_release(cwinnow_recorder_state *state) {
    munmap(state, cwinnow_recorder_unit);
}
