// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowDescriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "CWinnowThread.h"

#pragma GCC visibility push(protected)

/// Where the descriptors 1 and 2 led before they were captured, and -1 where they are not.
static int32_t captured[3] = {-1, -1, -1};

void cwinnow_descriptor_set_captured(int32_t descriptor, int32_t original) {
    __atomic_store_n(&captured[descriptor], original, __ATOMIC_RELEASE);
}

int32_t cwinnow_descriptor_original(int32_t descriptor) {
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO) {
        return descriptor;
    }
    int32_t original = __atomic_load_n(&captured[descriptor], __ATOMIC_ACQUIRE);
    return original < 0 ? descriptor : original;
}

bool cwinnow_descriptor_has_size_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY;
}

int32_t cwinnow_descriptor_take_back(int32_t descriptor, uint64_t start, uint64_t end) {
    struct stat status;
    if (fstat(descriptor, &status) < 0) {
        return -errno;
    }
    if (start > end || (uint64_t)status.st_size != end) {
        return -EBUSY;
    }
    return ftruncate(descriptor, (off_t)start) < 0 ? -errno : 0;
}

int64_t cwinnow_descriptor_position(int32_t descriptor) {
    off_t position = lseek(descriptor, 0, SEEK_CUR);
    return position < 0 ? -errno : position;
}

int64_t cwinnow_descriptor_size(int32_t descriptor) {
    struct stat status;
    return fstat(descriptor, &status) < 0 ? -errno : status.st_size;
}

int64_t cwinnow_descriptor_links(int32_t descriptor) {
    struct stat status;
    return fstat(descriptor, &status) < 0 ? -errno : (int64_t)status.st_nlink;
}

int32_t cwinnow_descriptor_kind(int32_t descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) < 0) {
        return -errno;
    }
    if (S_ISREG(status.st_mode)) {
        return CWINNOW_KIND_FILE;
    }
    if (S_ISFIFO(status.st_mode)) {
        return CWINNOW_KIND_PIPE;
    }
    if (S_ISSOCK(status.st_mode)) {
        return CWINNOW_KIND_SOCKET;
    }
    if ((status.st_mode & S_IFMT) == 0) {
        return -EBADF;
    }
    return isatty(descriptor) == 1 ? CWINNOW_KIND_TERMINAL : CWINNOW_KIND_DEVICE;
}

// Opens anew what a descriptor leads to; returns -1 with errno where that fails.
static int open_again(int descriptor, int flags) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, flags | O_CLOEXEC);
}

int32_t cwinnow_descriptor_reopen_nonblocking(int32_t descriptor) {
    int reopened = open_again(descriptor, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    return reopened < 0 ? -errno : cwinnow_descriptor_move_up(reopened);
}

// Waits for an event of one descriptor. Not by poll(3), in which a thread can be cancelled, whose locks
// would be held for good.
static int32_t await_event(struct pollfd *event, int32_t milliseconds) {
    struct timespec time = {
        .tv_sec = milliseconds / 1000,
        .tv_nsec = milliseconds % 1000 * 1000000L,
    };
    cwinnow_waits_of_thread++;
    long ready = syscall(SYS_ppoll, event, 1L, milliseconds < 0 ? NULL : &time, NULL, (size_t)0);
    cwinnow_waits_of_thread--;
    return ready < 0 ? -errno : (int32_t)ready;
}

int32_t cwinnow_descriptor_wait_writable(int32_t descriptor, int32_t milliseconds) {
    struct pollfd event = {.fd = descriptor, .events = POLLOUT};
    return await_event(&event, milliseconds);
}

static int32_t refuse(int descriptor, int32_t reason) {
    close(descriptor);
    return reason;
}

int32_t cwinnow_descriptor_open_append(const char *path, uint32_t mode) {
    // O_NONBLOCK: a FIFO without a reader must give an error and not wait for one.
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
    int descriptor = open(path, flags, (mode_t)mode);
    if (descriptor < 0) {
        return -errno;
    }
    struct stat status;
    if (fstat(descriptor, &status) < 0) {
        return refuse(descriptor, -errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return refuse(descriptor, -EINVAL);
    }
    // Others may give a file of ours, or of root's, a second name where we append.
    if (status.st_nlink > 1) {
        return refuse(descriptor, -EMLINK);
    }
    if (fcntl(descriptor, F_SETFL, O_WRONLY | O_APPEND) < 0) {
        return refuse(descriptor, -errno);
    }
    return cwinnow_descriptor_move_up(descriptor);
}

// MFD_NOEXEC_SEAL of memfd_create(2), Linux 6.3.
static const unsigned no_exec_seal = 0x8u;

int32_t cwinnow_descriptor_make_memory_file(const char *name) {
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0 && errno == EACCES) {
        // vm.memfd_noexec=2 requires the flag. Otherwise it is left out: it adds a seal that older
        // journalds refuse.
        descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | no_exec_seal);
    }
    return descriptor < 0 ? -errno : descriptor;
}

// Whether no later try will do better: the kernel has no such call, or this process may not make it, as
// under systemd's `SystemCallFilter=~memfd_create`.
static bool is_forbidden(int32_t error) {
    return error == -ENOSYS || error == -EPERM || error == -EACCES || error == -EINVAL;
}

// Returns a file without a name where shared memory lies, or -errno: what libsystemd makes where it may
// make no memory file, and journald takes unsealed. Source: systemd, journald-native.c.
static int32_t make_nameless_file(void) {
    int made = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (made < 0) {
        return -errno;
    }
    // journald 257 ignores a descriptor with O_TMPFILE among its flags.
    int plain = open_again(made, O_RDWR);
    if (plain < 0) {
        return made;
    }
    close(made);
    return plain;
}

uint32_t cwinnow_descriptor_hold_standard(void) {
    uint32_t held = 0;
    for (int32_t number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) >= 0) {
            continue;
        }
        int taken = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (taken > STDERR_FILENO) {
            close(taken); // The program has opened something there meanwhile.
        } else if (taken >= 0) {
            held |= 1u << taken;
        }
    }
    return held;
}

void cwinnow_descriptor_release_standard(uint32_t held) {
    for (int32_t number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if ((held & 1u << number) != 0) {
            close(number);
        }
    }
}

int32_t cwinnow_descriptor_sealed_copy(const char *name, const uint8_t *bytes, size_t count) {
    // If the program has closed its standard output, what it prints would end up in the entry.
    uint32_t held = cwinnow_descriptor_hold_standard();
    int32_t descriptor = cwinnow_descriptor_make_memory_file(name);
    bool is_sealable = !is_forbidden(descriptor);
    if (!is_sealable) {
        descriptor = make_nameless_file();
    }
    cwinnow_descriptor_release_standard(held);
    descriptor = descriptor < 0 ? descriptor : cwinnow_descriptor_move_up(descriptor);
    if (descriptor < 0) {
        return descriptor;
    }
    for (size_t written = 0; written < count;) {
        // A memory file is held to RLIMIT_FSIZE like any other.
        int64_t more = cwinnow_descriptor_write_limited(descriptor, bytes + written, count - written);
        if (more < 0) {
            return refuse(descriptor, (int32_t)more);
        }
        written += (size_t)more;
    }
    if (!is_sealable) {
        return descriptor;
    }
    int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (fcntl(descriptor, F_ADD_SEALS, seals) < 0) {
        return refuse(descriptor, -errno);
    }
    return descriptor;
}

int32_t cwinnow_descriptor_close(int32_t descriptor) {
    return close(descriptor) < 0 ? -errno : 0;
}

int32_t cwinnow_descriptor_copy(int32_t descriptor) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    return copy < 0 ? -errno : copy;
}

int32_t cwinnow_descriptor_move_up(int32_t descriptor) {
    if (descriptor > STDERR_FILENO) {
        return descriptor;
    }
    int32_t copy = cwinnow_descriptor_copy(descriptor);
    close(descriptor);
    return copy;
}

bool cwinnow_descriptor_is_abandoned_pipe(int32_t descriptor) {
    struct statfs system;
    struct pollfd event = {.fd = descriptor};
    // A FIFO is one of the file system that it has its name in.
    return fstatfs(descriptor, &system) == 0 && system.f_type == PIPEFS_MAGIC
        && await_event(&event, 0) == 1 && (event.revents & POLLERR) != 0;
}

int32_t cwinnow_descriptor_grow_pipe(int32_t descriptor, int32_t byte_count) {
    int present = fcntl(descriptor, F_GETPIPE_SZ);
    if (present < 0) {
        return -errno;
    }
    if (present >= byte_count) {
        return -ENOSPC;
    }
    return fcntl(descriptor, F_SETPIPE_SZ, byte_count) < 0 ? -errno : 0;
}

bool cwinnow_descriptor_is_terminal(int32_t descriptor) {
    return isatty(descriptor) == 1;
}

int32_t cwinnow_descriptor_identity(
    int32_t descriptor, uint64_t *ret_device, uint64_t *ret_inode) {
    struct stat status;
    if (fstat(descriptor, &status) < 0) {
        return -errno;
    }
    *ret_device = status.st_dev;
    *ret_inode = status.st_ino;
    return 0;
}

int32_t cwinnow_path_identity(const char *path, uint64_t *ret_device, uint64_t *ret_inode) {
    struct stat status;
    if (lstat(path, &status) < 0) {
        return -errno;
    }
    *ret_device = status.st_dev;
    *ret_inode = status.st_ino;
    return 0;
}

int32_t cwinnow_path_is_readable(const char *path) {
    struct stat status;
    if (stat(path, &status) < 0) {
        return -errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
    }
    return access(path, R_OK) < 0 ? -errno : 0;
}

bool cwinnow_descriptor_peer_is_journal(int32_t descriptor) {
    static const char folder[] = "/run/systemd/journal/";
    static const char namespace[] = "/run/systemd/journal.";
    union {
        struct sockaddr any;
        struct sockaddr_un local;
    } peer;
    memset(&peer, 0, sizeof peer);
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, &peer.any, &size) < 0 || peer.any.sa_family != AF_UNIX) {
        return false;
    }
    return strncmp(peer.local.sun_path, folder, sizeof folder - 1) == 0
        || strncmp(peer.local.sun_path, namespace, sizeof namespace - 1) == 0;
}
