// SPDX-License-Identifier: Apache-2.0

// What the redirect itself does with the streams and descriptors that it watches.

#define _GNU_SOURCE
#include "CWinnowHooks.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio_ext.h>
#include <wchar.h>

#include "CWinnowClock.h"
#include "CWinnowDescriptor.h"
#include "CWinnowThread.h"
#include "hook.h"

#pragma GCC visibility push(protected)

FILE *cwinnow_stream_lock(int32_t stream) {
    FILE *of = cwinnow_real_functions.streams[stream];
    // A thread that was hit by a signal, or waits for a reader, may hold it.
    for (int attempt = 0; of != NULL && attempt < 100; attempt++) {
        if (ftrylockfile(of) == 0) {
            return of;
        }
        cwinnow_thread_pause(1000000);
    }
    return NULL;
}

void cwinnow_streams_lock(FILE *locked[3]) {
    for (int32_t stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        locked[stream] = stream == STDIN_FILENO ? NULL : cwinnow_stream_lock(stream);
    }
}

void cwinnow_streams_unlock(FILE *const locked[3]) {
    for (int32_t stream = STDERR_FILENO; stream >= STDOUT_FILENO; stream--) {
        if (locked[stream] != NULL) {
            funlockfile(locked[stream]);
        }
    }
}

void cwinnow_hooks_end_lines(void) {
    bool was_suspended = cwinnow_hooks_suspend();
    FILE *locked[3];
    cwinnow_streams_lock(locked);
    cwinnow_printed_flush(0);
    cwinnow_streams_unlock(locked);
    cwinnow_hooks_resume(was_suspended);
}

bool cwinnow_stream_is_ready(int32_t stream) {
    struct pollfd ready = {.fd = stream, .events = POLLOUT};
    return poll(&ready, 1, 0) != 0;
}

bool cwinnow_hook_write(int descriptor, const char *bytes, size_t size) {
    while (size > 0) {
        int64_t written =
            cwinnow_descriptor_write_pipe(descriptor, (const uint8_t *)bytes, size);
        if (written == -EAGAIN) {
            struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (written <= 0) {
            errno = (int)-written;
            return false;
        } else {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/// Whether the worker prints past stdio. A program that is linked statically has no real functions; a
/// captured descriptor leads to us; a program that writes into stdio's buffer itself, without its
/// lock, would lose what is written there at the same time; a stream of wide characters takes none.
static bool is_past_stdio(int32_t stream) {
    return REAL(fwrite) == NULL || cwinnow_descriptor_original(stream) != stream ||
        cwinnow_hooks_have_inlined_writers() ||
        fwide(cwinnow_real_functions.streams[stream], 0) > 0;
}

/// How many printed lines stdio keeps of each stream, and of how many it could not write what it kept.
static uint64_t kept_lines[STDERR_FILENO + 1], failed_lines;

/// Notes that what stdio kept of a stream is lost: it forgets what it cannot write.
static void note_failed(int32_t stream) {
    uint64_t lost = __atomic_exchange_n(&kept_lines[stream], 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&failed_lines, lost, __ATOMIC_RELAXED);
}

uint64_t cwinnow_hooks_take_failed(void) {
    return __atomic_exchange_n(&failed_lines, 0, __ATOMIC_RELAXED);
}

/// Leaves a line to stdio.
static bool print_by_stdio(int32_t stream, const uint8_t *bytes, size_t size) {
    FILE *of = cwinnow_real_functions.streams[stream];
    if (REAL(fwrite)(bytes, 1, size, of) != size) {
        int saved_errno = errno;
        note_failed(stream);
        errno = saved_errno;
        return false;
    }
    size_t pending = __fpending(of);
    uint64_t before = __atomic_load_n(&kept_lines[stream], __ATOMIC_RELAXED);
    // What stdio keeps is not more than the line where it has written what it kept before.
    uint64_t kept = pending == 0 ? 0 : pending <= size ? 1 : before + 1;
    __atomic_store_n(&kept_lines[stream], kept, __ATOMIC_RELAXED);
    return true;
}

/// Writes a line past stdio. With the lock of the stream, as stdio would: who holds it prints in pieces
/// that make one line, as argp(3) and `print` do. Not where write(2) printed the line, which takes no
/// lock; nor where the pieces go to us, since the descriptor is captured.
static bool print_past_stdio(
    int32_t stream, const uint8_t *bytes, size_t size, cwinnow_line_way way) {
    int32_t original = cwinnow_descriptor_original(stream);
    bool is_locked = way == CWINNOW_LINE_WAY_STDIO && original == stream && REAL(fwrite) != NULL;
    FILE *of = cwinnow_real_functions.streams[stream];
    if (is_locked) {
        flockfile(of);
    }
    bool is_printed = cwinnow_hook_write(original, (const char *)bytes, size);
    if (is_locked) {
        int saved_errno = errno;
        funlockfile(of);
        errno = saved_errno;
    }
    return is_printed;
}

bool cwinnow_hooks_print(
    int32_t stream, const uint8_t *bytes, size_t size, cwinnow_line_way way) {
    bool is_printed = way == CWINNOW_LINE_WAY_WRITE || is_past_stdio(stream)
        ? print_past_stdio(stream, bytes, size, way)
        : print_by_stdio(stream, bytes, size);
    // Through a descriptor it may be a child's, which is not the program's to end by.
    if (!is_printed && errno == EPIPE && way != CWINNOW_LINE_WAY_DESCRIPTOR) {
        cwinnow_pipe_note_broken();
    }
    return is_printed;
}

bool cwinnow_hooks_can_print(int32_t stream) {
    return cwinnow_stream_is_ready(cwinnow_descriptor_original(stream));
}

bool cwinnow_hooks_print_until(
    int32_t stream, const uint8_t *bytes, size_t size, uint64_t deadline) {
    int32_t original = cwinnow_descriptor_original(stream);
    while (size > 0) {
        uint64_t now = cwinnow_clock_monotonic();
        int rest = now < deadline ? (int)((deadline - now) / 1000000) : 0;
        struct pollfd ready = {.fd = original, .events = POLLOUT};
        if (poll(&ready, 1, rest) <= 0) {
            return false;
        }
        // As much as a pipe that is ready takes without waiting: pipe(7), PIPE_BUF.
        int64_t written =
            cwinnow_descriptor_write_pipe(original, bytes, size < PIPE_BUF ? size : PIPE_BUF);
        if (written <= 0 && written != -EAGAIN) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/// Has stdio write what it keeps of a stream, unless its lock cannot be had; false, with errno,
/// where it cannot be written.
static bool flush(int32_t stream) {
    FILE *of = cwinnow_stream_lock(stream);
    if (of == NULL) {
        return true;
    }
    // fflush(3) gives the lock back where the thread is cancelled; this would not.
    int32_t cancellation = cwinnow_cancellation_put_off();
    bool is_flushed = fflush_unlocked(of) == 0;
    int saved_errno = errno;
    cwinnow_cancellation_restore(cancellation);
    if (is_flushed) {
        __atomic_store_n(&kept_lines[stream], 0, __ATOMIC_RELAXED);
    } else {
        note_failed(stream);
    }
    funlockfile(of);
    errno = saved_errno;
    return is_flushed;
}

bool cwinnow_hooks_flush_printed(int32_t stream) {
    if (is_past_stdio(stream)) {
        return true;
    }
    if (!cwinnow_stream_is_ready(stream)) {
        return false;
    }
    if (!flush(stream) && errno == EPIPE) {
        cwinnow_pipe_note_broken();
    }
    return true;
}

void cwinnow_hooks_flush_before(int32_t stream) {
    // What is printed to stdout now waits for who reads it anyway, but without the lock of the stream.
    if (stream == STDOUT_FILENO && !is_past_stdio(stream)) {
        struct pollfd ready = {.fd = stream, .events = POLLOUT};
        poll(&ready, 1, -1);
    }
    cwinnow_hooks_flush_printed(STDOUT_FILENO);
}

void cwinnow_hooks_flush(int32_t stream) {
    flush(stream);
}
