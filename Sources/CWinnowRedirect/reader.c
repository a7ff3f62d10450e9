// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "CWinnowCapture.h"
#include "CWinnowClock.h"
#include "CWinnowDescriptor.h"
#include "CWinnowOrigin.h"
#include "capture.h"
#include "hook.h"

#pragma GCC visibility push(protected)

/// How long the reader rests after it has read, so that it wakes for many lines at once.
///
/// Source: the redirect study, 3.2 million lines a second instead of 1.4.
#define REST_NANOSECONDS 200000u
/// After how long the beginning of a line is handed over.
#define PARTIAL_MILLISECONDS 100
/// How long the reader, which holds no lock, waits for room in the queue.
#define ROOM_NANOSECONDS 100000000u

/// How often a pipe is read before it is the other's turn; a pipe's size altogether is 16 reads.
#define TURN_READS 4
/// How often it is read where all is asked for that it holds.
#define ALL_TURNS 8

static __thread bool is_reader;
/// Whether the last line has waited for room in vain: the next do not.
static __thread bool is_crowded;

bool cwinnow_capture_is_reader(void) {
    return is_reader;
}

static void put(void *context, const char *bytes, size_t size, cwinnow_line_end end) {
    const captured *from = context;
    cwinnow_line line = {
        .time = cwinnow_assembly_time(&from->line, end),
        .size = (uint32_t)size,
        .origin = CWINNOW_ORIGIN_DESCRIPTOR,
        .stream = (uint8_t)from->stream,
        .end = (uint8_t)end,
        .way = CWINNOW_LINE_WAY_DESCRIPTOR,
    };
    bool is_put = is_crowded ? cwinnow_lines_put(line, bytes)
                             : cwinnow_lines_put_within(line, bytes, ROOM_NANOSECONDS);
    is_crowded = !is_put;
}

/// Reads what a pipe holds, or a part of it where that is much. Returns false at its end, when no
/// process can write to it any more.
static bool read_pipe(capture *of, captured *from, bool is_captured) {
    char *buffer = of->buffer;
    for (int turn = 0; turn < TURN_READS; turn++) {
        ssize_t size = read(from->reading, buffer, sizeof of->buffer);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size < 0) {
            return errno == EAGAIN;
        }
        if (size == 0) {
            return false;
        }
        if (!is_captured) {
            cwinnow_hook_write(from->original, buffer, (size_t)size);
        } else if (cwinnow_assembly_add(&from->line, buffer, (size_t)size, put, from) <
                   (size_t)size) {
            // Without memory for a line it is at least not lost.
            cwinnow_hook_write(from->original, buffer, (size_t)size);
        }
        if ((size_t)size < sizeof of->buffer) {
            return true;
        }
    }
    return true;
}

/// Notes that all is read that was there when it was asked for.
static void answer(capture *of, uint64_t asked) {
    cwinnow_lock_acquire(of->lock);
    of->done = asked;
    cwinnow_lock_wake(of->lock);
    cwinnow_lock_release(of->lock);
}

static uint64_t asked_of(const capture *of, bool *is_ending) {
    cwinnow_lock_acquire(of->lock);
    uint64_t asked = of->asked;
    *is_ending = of->is_ending;
    cwinnow_lock_release(of->lock);
    return asked;
}

static void end_lines(capture *of, cwinnow_line_end end, uint64_t before) {
    for (uint32_t index = 0; index < of->count; index++) {
        captured *from = &of->streams[index];
        if (from->line.touched <= before) {
            cwinnow_assembly_end(&from->line, end, put, from);
        }
    }
}

static bool has_partial(const capture *of) {
    for (uint32_t index = 0; index < of->count; index++) {
        if (of->streams[index].line.size > 0) {
            return true;
        }
    }
    return false;
}

/// Forgets a pipe that nobody can write to any more, as the program has led the descriptor elsewhere:
/// what passes goes there from now on. Or one whose descriptor the program has closed, knowing
/// nothing of it.
static void let_go(capture *of, captured *from, bool is_open) {
    if (is_open) {
        close(from->reading);
    }
    from->reading = -1;
    cwinnow_lock_acquire(of->lock);
    // At the end the descriptor is given back, and may be the next capture's.
    if (!of->is_ending) {
        cwinnow_descriptor_set_captured(from->stream, -1);
    }
    cwinnow_lock_release(of->lock);
}

/// Takes what has woken the reader. Also where nothing is asked for, as a program may write to a number
/// that it takes for a file of its own: the reader would not rest again.
static void clear_event(const capture *of) {
    uint64_t count;
    ssize_t taken = read(of->event, &count, sizeof count);
    (void)taken;
}

/// Waits for something to read, or for a request. Returns whether something was read.
static bool read_once(capture *of) {
    struct pollfd ready[3];
    for (uint32_t index = 0; index < of->count; index++) {
        ready[index] = (struct pollfd){.fd = of->streams[index].reading, .events = POLLIN};
    }
    ready[of->count] = (struct pollfd){.fd = of->event, .events = POLLIN};
    poll(ready, of->count + 1, has_partial(of) ? PARTIAL_MILLISECONDS : -1);
    if ((ready[of->count].revents & POLLIN) != 0) {
        clear_event(of);
    }
    bool has_read = false;
    for (uint32_t index = 0; index < of->count; index++) {
        if ((ready[index].revents & POLLIN) != 0) {
            read_pipe(of, &of->streams[index], true);
            has_read = true;
        } else if (ready[index].revents != 0) {
            let_go(of, &of->streams[index], (ready[index].revents & POLLNVAL) == 0);
        }
    }
    return has_read;
}

static bool is_empty(const captured *from) {
    int waiting = 0;
    return from->reading < 0 || ioctl(from->reading, FIONREAD, &waiting) < 0 || waiting == 0;
}

static bool is_all_empty(const capture *of) {
    for (uint32_t index = 0; index < of->count; index++) {
        if (!is_empty(&of->streams[index])) {
            return false;
        }
    }
    return true;
}

/// Reads what the pipes hold, though a child may write on and on.
static void read_all(capture *of) {
    for (uint32_t index = 0; index < of->count; index++) {
        captured *from = &of->streams[index];
        for (int turn = 0; turn < ALL_TURNS && !is_empty(from); turn++) {
            read_pipe(of, from, true);
        }
    }
}

/// Reads until the capture ends.
static void read_captured(capture *of) {
    while (true) {
        bool has_read = read_once(of);
        uint64_t now = cwinnow_clock_monotonic();
        end_lines(of, CWINNOW_LINE_END_TIMEOUT, now - PARTIAL_MILLISECONDS * 1000000ull);
        bool is_ending;
        uint64_t asked = asked_of(of, &is_ending);
        if (asked == of->done) {
            if (has_read && is_all_empty(of)) {
                cwinnow_thread_pause(REST_NANOSECONDS);
            }
            continue;
        }
        read_all(of);
        if (is_ending) {
            end_lines(of, CWINNOW_LINE_END_CLOSED, UINT64_MAX);
        }
        answer(of, asked);
        if (is_ending) {
            return;
        }
    }
}

/// Hands on what children of the program still print, until the last of them is gone.
static void read_leftover(capture *of) {
    uint32_t open_count = 0;
    for (uint32_t index = 0; index < of->count; index++) {
        open_count += of->streams[index].reading >= 0;
    }
    while (open_count > 0) {
        struct pollfd ready[2] = {{.fd = -1}, {.fd = -1}};
        for (uint32_t index = 0; index < of->count; index++) {
            ready[index] = (struct pollfd){.fd = of->streams[index].reading, .events = POLLIN};
        }
        poll(ready, 2, -1);
        for (uint32_t index = 0; index < of->count; index++) {
            captured *from = &of->streams[index];
            if (ready[index].revents != 0 && !read_pipe(of, from, false)) {
                close(from->reading);
                from->reading = -1;
            }
            open_count -= ready[index].revents != 0 && from->reading < 0;
        }
    }
}

void cwinnow_capture_run(void *argument) {
    capture *of = argument;
    is_reader = true;
    read_captured(of);
    // By now the next capture may run, which knows nothing of this one.
    read_leftover(of);
    cwinnow_capture_free(of);
}
