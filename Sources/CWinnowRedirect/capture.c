// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowCapture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CWinnowClock.h"
#include "CWinnowDescriptor.h"
#include "CWinnowHooks.h"
#include "capture.h"
#include "hook.h"

#pragma GCC visibility push(protected)

/// The size of a pipe, which the kernel gives to anyone: so many writers do not wait for the reader.
#define PIPE_SIZE (1 << 20)

static capture *current;
/// Guards the numbers of the requests, and the captures that have ended.
static cwinnow_lock *lock;
/// Captures that have ended, to be used again: who has waited for one may still look at it.
static capture *ended;
/// Copies of the descriptors. They stay open, so that what a thread is about to print there goes to
/// no other file that has got the number meanwhile.
static int originals[3] = {-1, -1, -1};
/// What they lead to: a program that closes all descriptors may give the number to a file of its own.
static struct original_file {
    dev_t device;
    ino_t inode;
} original_files[3];

uint32_t cwinnow_capture_streams(void) {
    uint32_t streams = 0;
    const capture *of = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    for (uint32_t index = 0; of != NULL && index < of->count; index++) {
        streams |= 1u << of->streams[index].stream;
    }
    return streams;
}

/// Whether the descriptor still leads into our pipe.
static bool is_in_place(const captured *of) {
    struct stat status;
    return fstat(of->stream, &status) == 0 && status.st_dev == of->device &&
        status.st_ino == of->inode;
}

static void put_back(captured *of) {
    if (is_in_place(of)) {
        dup2(of->original, of->stream);
    }
    // Only now: what sinks print meanwhile must not come into the pipe.
    cwinnow_descriptor_set_captured(of->stream, -1);
}

/// The buffer of stdout that `make_line_buffered` has given it: setvbuf(3) without one lets a stream
/// that is in use go on as it was up to the end of its buffer (redirect study).
static char line_buffer[16 << 10];
/// Whether stdout wrote blocks before.
static bool had_blocks;

/// Has stdio write lines to the pipe as it does to a terminal, where it would keep them together to
/// blocks: unless a thread has the lock of the stream, as one that waits for who reads it has for good.
static void make_line_buffered(int32_t stream) {
    FILE *of = stream == STDOUT_FILENO ? cwinnow_stream_lock(stream) : NULL;
    if (of == NULL) {
        return;
    }
    if (!__flbf(of) && __fbufsize(of) != 1) {
        had_blocks = setvbuf(of, line_buffer, _IOLBF, sizeof line_buffer) == 0;
    }
    funlockfile(of);
}

/// Ends that, unless the program has said itself since how it wants it.
static void make_block_buffered(int32_t stream) {
    FILE *of = cwinnow_real_functions.streams[STDOUT_FILENO];
    bool is_as_left = had_blocks && __flbf(of) && __fbufsize(of) == sizeof line_buffer;
    if (stream != STDOUT_FILENO || !is_as_left) {
        return;
    }
    FILE *locked = cwinnow_stream_lock(stream);
    if (locked != NULL) {
        setvbuf(locked, line_buffer, _IOFBF, sizeof line_buffer);
        had_blocks = false;
        funlockfile(locked);
    }
}

/// Whether the last copy of a descriptor is still there.
static bool has_copy(int32_t stream) {
    struct stat status;
    const struct original_file *file = &original_files[stream];
    return originals[stream] >= 0 && fstat(originals[stream], &status) == 0 &&
        status.st_dev == file->device && status.st_ino == file->inode;
}

/// Copies a descriptor to where the last copy of it was. Returns it, or -1.
static int copy_original(int32_t stream) {
    int *copy = &originals[stream];
    if (!has_copy(stream) || dup3(stream, *copy, O_CLOEXEC) < 0) {
        *copy = fcntl(stream, F_DUPFD_CLOEXEC, 3);
    }
    struct stat status;
    if (*copy >= 0 && fstat(*copy, &status) == 0) {
        original_files[stream] = (struct original_file){status.st_dev, status.st_ino};
    }
    return *copy;
}

/// Makes a pipe whose ends are above the standard descriptors, which may be closed: what the program
/// prints there is for nobody. Returns 0 or -errno.
static int32_t make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) < 0) {
        return -errno;
    }
    for (int end = 0; end < 2; end++) {
        ends[end] = cwinnow_descriptor_move_up(ends[end]);
    }
    int32_t failure = ends[0] < 0 ? ends[0] : ends[1] < 0 ? ends[1] : 0;
    for (int end = 0; failure != 0 && end < 2; end++) {
        if (ends[end] >= 0) {
            close(ends[end]);
        }
    }
    return failure;
}

/// Puts a pipe in place of one descriptor. Returns 0 or -errno.
static int32_t capture_one(captured *of) {
    int ends[2];
    of->original = copy_original(of->stream);
    int32_t failure = of->original < 0 ? -errno : make_pipe(ends);
    if (failure != 0) {
        return failure;
    }
    // A smaller pipe does too.
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    of->reading = ends[0];
    struct stat status;
    fstat(ends[1], &status);
    of->device = status.st_dev;
    of->inode = status.st_ino;
    cwinnow_hooks_flush(of->stream);
    cwinnow_descriptor_set_captured(of->stream, of->original);
    failure = dup2(ends[1], of->stream) < 0 ? -errno : 0;
    close(ends[1]);
    if (failure != 0) {
        cwinnow_descriptor_set_captured(of->stream, -1);
    } else {
        make_line_buffered(of->stream);
    }
    return failure;
}

/// Makes what wakes the reader, above the standard descriptors as well. Returns it, or -errno.
static int make_event(void) {
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return event < 0 ? -errno : cwinnow_descriptor_move_up(event);
}

/// Takes a capture that has ended, or a new one.
static capture *capture_take(void) {
    cwinnow_lock_acquire(lock);
    capture *taken = ended;
    ended = taken == NULL ? NULL : taken->next;
    cwinnow_lock_release(lock);
    return taken == NULL ? calloc(1, sizeof *taken) : taken;
}

static capture *capture_make(uint32_t streams) {
    capture *made = capture_take();
    if (made == NULL) {
        return NULL;
    }
    // The numbers of the requests go on.
    made->count = 0;
    made->is_ending = false;
    made->event = make_event();
    made->lock = lock;
    for (int32_t stream = 1; stream <= 2; stream++) {
        if ((streams & 1u << stream) != 0) {
            made->streams[made->count++] = (captured){.stream = stream, .reading = -1};
        }
    }
    return made;
}

void cwinnow_capture_free(capture *of) {
    for (uint32_t index = 0; index < of->count; index++) {
        captured *from = &of->streams[index];
        if (from->reading >= 0) {
            close(from->reading);
        }
        cwinnow_assembly_free(&from->line);
    }
    cwinnow_lock_acquire(lock);
    if (of->event >= 0) {
        close(of->event);
    }
    of->event = -1;
    of->next = ended;
    ended = of;
    cwinnow_lock_release(lock);
}

int32_t cwinnow_capture_start(uint32_t streams) {
    if (lock == NULL) {
        lock = cwinnow_lock_make();
    }
    capture *made = capture_make(streams);
    int32_t failure = made == NULL ? -ENOMEM : made->event < 0 ? made->event : 0;
    uint32_t count = 0;
    while (failure == 0 && count < made->count) {
        failure = capture_one(&made->streams[count]);
        count += failure == 0;
    }
    if (failure == 0) {
        failure = cwinnow_thread_start("winnow-capture", cwinnow_capture_run, made);
    }
    if (failure != 0 && made != NULL) {
        while (count > 0) {
            put_back(&made->streams[--count]);
        }
        cwinnow_capture_free(made);
        return failure;
    }
    __atomic_store_n(&current, made, __ATOMIC_RELEASE);
    return failure;
}

/// Asks the reader to read all and waits until it has.
static bool ask(capture *of, bool is_ending, uint64_t nanoseconds) {
    uint64_t deadline = cwinnow_clock_monotonic() + nanoseconds;
    if (!cwinnow_lock_acquire_within(lock, nanoseconds)) {
        return false;
    }
    if (of->event < 0) {
        // Who stopped it has had all read.
        cwinnow_lock_release(lock);
        return true;
    }
    uint64_t asked = ++of->asked;
    of->is_ending = of->is_ending || is_ending;
    uint64_t one = 1;
    // Not write(), which may be a hook.
    cwinnow_descriptor_write(of->event, (const uint8_t *)&one, sizeof one);
    uint64_t now = cwinnow_clock_monotonic();
    while (of->done < asked && now < deadline) {
        cwinnow_lock_wait(lock, deadline - now);
        now = cwinnow_clock_monotonic();
    }
    bool is_done = of->done >= asked;
    cwinnow_lock_release(lock);
    return is_done;
}

bool cwinnow_capture_drain(uint64_t nanoseconds) {
    capture *of = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (of == NULL || cwinnow_capture_is_reader()) {
        return of == NULL;
    }
    for (uint32_t index = 0; index < of->count; index++) {
        cwinnow_hooks_flush(of->streams[index].stream);
    }
    return ask(of, false, nanoseconds);
}

bool cwinnow_capture_stop(uint64_t nanoseconds) {
    capture *of = __atomic_exchange_n(&current, NULL, __ATOMIC_ACQ_REL);
    if (of == NULL) {
        return true;
    }
    for (uint32_t index = 0; index < of->count; index++) {
        cwinnow_hooks_flush(of->streams[index].stream);
        put_back(&of->streams[index]);
        make_block_buffered(of->streams[index].stream);
    }
    return ask(of, true, nanoseconds);
}

void cwinnow_capture_after_fork(void) {
    capture *of = current;
    current = NULL;
    if (lock != NULL) {
        cwinnow_lock_reset(lock);
    }
    if (of == NULL) {
        return;
    }
    for (uint32_t index = 0; index < of->count; index++) {
        put_back(&of->streams[index]);
        close(of->streams[index].reading);
    }
    close(of->event);
}
