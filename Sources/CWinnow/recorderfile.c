// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "CWinnowDelivery.h"
#include "CWinnowNumbers.h"
#include "CWinnowThread.h"
#include "recorder.h"

#pragma GCC visibility push(protected)

// How many bytes are taken at a time, and how often a file is made anew that another process has removed.
#define ALLOCATED_BYTES ((uint64_t)256 * 1024)
#define ATTEMPTS 100

// Whether a file system is memory, which the kernel keeps when a process ends and nobody writes to a disk.
static bool is_memory(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0
        && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

// Has the numbers of records lie in the file: before the first is given.
static bool share_numbers(int descriptor, uint8_t *memory) {
    memcpy(memory + cwinnow_recorder_numbers_offset, cwinnow_numbers, sizeof cwinnow_numbers);
    return mmap(cwinnow_numbers, cwinnow_recorder_unit, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, descriptor, cwinnow_recorder_numbers_offset)
        == (void *)cwinnow_numbers;
}

// Takes all bytes of a file, part by part: of a larger part, a timer that ticks often would let none be taken.
static int allocate(int descriptor, uint64_t byte_count) {
    for (uint64_t offset = 0; offset < byte_count;) {
        uint64_t rest = byte_count - offset, part = rest < ALLOCATED_BYTES ? rest : ALLOCATED_BYTES;
        int failure = posix_fallocate(descriptor, (off_t)offset, (off_t)part);
        if (failure != 0 && failure != EINTR) {
            return failure;
        }
        offset += failure == 0 ? part : 0;
    }
    return 0;
}

// Makes a file with its lock, which has the name when that is there; returns a descriptor or -errno. Who recovers takes
// the lock of a new file for a moment, and may remove it.
static int make(const char *path) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (made < 0) {
            return -errno;
        }
        struct stat file, named;
        if (flock(made, LOCK_EX | LOCK_NB) == 0 && fstat(made, &file) == 0
            && lstat(path, &named) == 0 && named.st_ino == file.st_ino) {
            return made;
        }
        close(made);
        unlink(path);
        cwinnow_thread_pause(1000000);
    }
    return -EBUSY;
}

// Gives a new file all of its bytes, so that no access ends the process by SIGBUS, and maps it.
static int32_t prepare(int descriptor, uint64_t byte_count, uint8_t **ret_memory) {
    if (!is_memory(descriptor)) {
        return CWINNOW_RECORDER_NO_MEMORY;
    }
    // A larger file than the limit would end the process by SIGXFSZ.
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < byte_count) {
        return -EFBIG;
    }
    int failure = allocate(descriptor, byte_count);
    if (failure != 0) {
        return -failure;
    }
    void *memory =
        mmap(NULL, (size_t)byte_count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
        return -errno;
    }
    // The numbers last, as that cannot be taken back.
    if (!cwinnow_delivery_isolate() || !share_numbers(descriptor, memory)) {
        int failed = errno;
        munmap(memory, (size_t)byte_count);
        return -failed;
    }
    *ret_memory = memory;
    return 0;
}

int32_t cwinnow_recorder_make(const char *path, uint64_t byte_count, uint8_t **ret_memory) {
    int made = make(path);
    if (made < 0) {
        return made;
    }
    int32_t outcome = prepare(made, byte_count, ret_memory);
    if (outcome < 0) {
        unlink(path);
    }
    // The lock stays with the mapping.
    close(made);
    return outcome;
}
