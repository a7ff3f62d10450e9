// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowWrite.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

int64_t cwinnow_descriptor_write_by_call(
    int32_t descriptor, const uint8_t *bytes, size_t count) {
    ssize_t written = syscall(SYS_write, descriptor, bytes, count);
    return written < 0 ? -errno : written;
}

int64_t cwinnow_descriptor_write_flagged_by_call(
    int32_t descriptor, const struct iovec *bytes, int32_t flags) {
    // Where the descriptor is, in as many registers as that takes.
    ssize_t written = syscall(SYS_pwritev2, descriptor, bytes, 1L, -1L, -1L, flags);
    return written < 0 ? -errno : written;
}

static int64_t write_flagged(
    int32_t descriptor, const uint8_t *bytes, size_t count, int32_t flags) {
    if (flags == 0) {
        return cwinnow_descriptor_write(descriptor, bytes, count);
    }
    int64_t written;
    do {
        written = cwinnow_descriptor_write_flagged_once(descriptor, bytes, count, flags);
    } while (written == -EINTR);
    return written;
}

// Takes back a signal that our own call has raised in this thread.
static void take_back(const sigset_t *signals) {
    struct timespec now = {0, 0};
    // Not sigtimedwait(3), in which a thread can be cancelled. The kernel has a bit for each signal.
    while (syscall(SYS_rt_sigtimedwait, signals, NULL, &now, (size_t)_NSIG / 8) < 0 && errno == EINTR) {
    }
}

// Whether a signal waits for the thread, which blocks it, or for the process.
static bool is_pending(int signal) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

// Writes while the signal is blocked; takes it back where the write failed as only it does, unless one
// was pending before: which only a thread can have that blocks it anyway.
static int64_t write_without(int signal, int failure, int32_t descriptor, const uint8_t *bytes,
    size_t count, int32_t flags) {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    bool was_blocked = sigismember(&before, signal) == 1;
    bool was_pending = was_blocked && is_pending(signal);
    int64_t written = write_flagged(descriptor, bytes, count, flags);
    if (written == -failure && !was_pending) {
        take_back(&blocked);
    }
    if (!was_blocked) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return written;
}

bool cwinnow_write_raises_signals;

void cwinnow_write_expect_signals(void) {
    __atomic_store_n(&cwinnow_write_raises_signals, true, __ATOMIC_RELAXED);
}

// Whether an error may mean that the flags, or pwritev2(2) itself, are not known, or not allowed by a
// filter of system calls: where it means something else, it comes again without them.
static bool refuses_flags(int64_t result) {
    return result == -EOPNOTSUPP || result == -ENOSYS || result == -EPERM || result == -EINVAL;
}

int64_t cwinnow_descriptor_write_pipe_otherwise(
    int32_t descriptor, const uint8_t *bytes, size_t count, int64_t result) {
    if (result == -EINTR) {
        result = write_flagged(descriptor, bytes, count, CWINNOW_WRITE_NO_SIGNAL);
    }
    if (!refuses_flags(result)) {
        return result;
    }
    // A device may refuse the flag alone: then pipes only cost more than they have to.
    cwinnow_write_expect_signals();
    return write_without(SIGPIPE, EPIPE, descriptor, bytes, count, 0);
}

int64_t cwinnow_descriptor_write_pipe_at_once(
    int32_t descriptor, const uint8_t *bytes, size_t count) {
    if (!__atomic_load_n(&cwinnow_write_raises_signals, __ATOMIC_RELAXED)) {
        int64_t result = write_flagged(descriptor, bytes, count,
            CWINNOW_WRITE_NO_SIGNAL | CWINNOW_WRITE_AT_ONCE);
        if (!refuses_flags(result)) {
            return result;
        }
    }
    // Which of the two it does not know is not said.
    int64_t result =
        write_without(SIGPIPE, EPIPE, descriptor, bytes, count, CWINNOW_WRITE_AT_ONCE);
    return refuses_flags(result) ? -EOPNOTSUPP : result;
}

int64_t cwinnow_descriptor_write_limited(
    int32_t descriptor, const uint8_t *bytes, size_t count) {
    return write_without(SIGXFSZ, EFBIG, descriptor, bytes, count, 0);
}
