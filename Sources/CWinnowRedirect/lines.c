// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowLines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "CWinnowClock.h"
#include "CWinnowThread.h"

#pragma GCC visibility push(protected)

/// The lock is held for a copy of one line at most, or for the exchange of the two buffers.
static cwinnow_lock *lock;
/// Two buffers: where lines are put, and where they are taken from.
static char *memory, *filling, *emptying;
static size_t filled;
/// The first two are read without the locks: in the end nobody may give those back.
static uint64_t put_count, done_count, taken_count;
static uint64_t lost[3];
static bool is_taker_waiting, is_woken;
/// Whether who ends the process has the lines.
static bool is_seized;
/// Whether the taker is about to wait, or waits.
static bool is_idle;
/// How long who prints waits for the lock, whose holder may have come to a halt in a fault: without it,
/// a line is lost, and counted.
#define PATIENCE_NANOSECONDS 2000000000u
/// Whether it was waited for in vain: then nobody does again.
static bool is_stuck;
/// Wakes who waits for lines to be worked off: the taker waits on the other lock.
static cwinnow_lock *done_lock;

bool cwinnow_lines_prepare(void) {
    if (lock != NULL) {
        return true;
    }
    // Pages that no line has reached cost nothing.
    void *mapped = mmap(NULL, 2 * CWINNOW_LINES_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        return false;
    }
    memory = mapped;
    filling = memory;
    emptying = filling + CWINNOW_LINES_SIZE;
    done_lock = cwinnow_lock_make();
    lock = cwinnow_lock_make();
    return true;
}

static bool put_locked(const cwinnow_line *line, const char *text) {
    size_t stride = cwinnow_line_stride(line);
    if (is_seized || stride > CWINNOW_LINES_SIZE - filled) {
        return false;
    }
    memcpy(filling + filled, line, sizeof *line);
    if (line->size > 0) {
        memcpy(filling + filled + sizeof *line, text, line->size);
    }
    filled += stride;
    __atomic_store_n(&put_count, put_count + 1, __ATOMIC_RELEASE);
    if (is_taker_waiting) {
        is_taker_waiting = false;
        cwinnow_lock_wake(lock);
    }
    return true;
}

static void count_lost(const cwinnow_line *line) {
    __atomic_fetch_add(&lost[line->stream], 1, __ATOMIC_RELAXED);
}

/// Takes the lock, in bounded time.
static bool acquire(void) {
    bool is_hopeless = __atomic_load_n(&is_stuck, __ATOMIC_RELAXED);
    bool is_held = cwinnow_lock_acquire_within(lock, is_hopeless ? 0 : PATIENCE_NANOSECONDS);
    if (is_held == is_hopeless) {
        __atomic_store_n(&is_stuck, !is_held, __ATOMIC_RELAXED);
    }
    return is_held;
}

__attribute__((always_inline)) static inline bool put(
    const cwinnow_line *line, const char *text) {
    if (!acquire()) {
        return false;
    }
    bool is_put = put_locked(line, text);
    cwinnow_lock_release(lock);
    return is_put;
}

bool cwinnow_lines_put(cwinnow_line line, const char *text) {
    bool is_put = put(&line, text);
    if (!is_put) {
        count_lost(&line);
    }
    return is_put;
}

bool cwinnow_lines_put_within(cwinnow_line line, const char *text, uint64_t nanoseconds) {
    uint64_t deadline = cwinnow_clock_monotonic() + nanoseconds;
    while (!put(&line, text)) {
        if (cwinnow_clock_monotonic() >= deadline) {
            count_lost(&line);
            return false;
        }
        cwinnow_thread_pause(500000);
    }
    return true;
}

/// Notes that the lines of the last batch are worked off.
static void settle(void) {
    cwinnow_lock_acquire(done_lock);
    __atomic_store_n(&done_count, taken_count, __ATOMIC_RELEASE);
    cwinnow_lock_wake(done_lock);
    cwinnow_lock_release(done_lock);
}

cwinnow_lines_batch cwinnow_lines_take(uint64_t nanoseconds) {
    settle();
    cwinnow_lock_acquire(lock);
    if (is_seized || (filled == 0 && !is_woken)) {
        is_taker_waiting = true;
        cwinnow_lock_wait(lock, nanoseconds);
        is_taker_waiting = false;
    }
    is_woken = false;
    __atomic_store_n(&is_idle, false, __ATOMIC_RELAXED);
    if (is_seized) {
        cwinnow_lock_release(lock);
        return (cwinnow_lines_batch){NULL, 0};
    }
    char *full = filling;
    size_t size = filled;
    filling = emptying;
    emptying = full;
    filled = 0;
    taken_count = put_count;
    cwinnow_lock_release(lock);
    return (cwinnow_lines_batch){(const uint8_t *)full, size};
}

void cwinnow_lines_prepare_take(void) {
    __atomic_store_n(&is_idle, true, __ATOMIC_SEQ_CST);
}

void cwinnow_lines_rouse(void) {
    if (__atomic_load_n(&is_idle, __ATOMIC_SEQ_CST)) {
        cwinnow_lines_wake();
    }
}

void cwinnow_lines_wake(void) {
    if (!acquire()) {
        return;
    }
    is_woken = true;
    is_taker_waiting = false;
    cwinnow_lock_wake(lock);
    cwinnow_lock_release(lock);
}

uint64_t cwinnow_lines_put_count(void) {
    return __atomic_load_n(&put_count, __ATOMIC_ACQUIRE);
}

uint64_t cwinnow_lines_done_count(void) {
    return __atomic_load_n(&done_count, __ATOMIC_ACQUIRE);
}

bool cwinnow_lines_await(uint64_t count, uint64_t nanoseconds) {
    uint64_t deadline = cwinnow_clock_monotonic() + nanoseconds;
    if (!cwinnow_lock_acquire_within(done_lock, nanoseconds)) {
        return false;
    }
    while (done_count < count) {
        uint64_t now = cwinnow_clock_monotonic();
        if (now >= deadline) {
            break;
        }
        cwinnow_lock_wait(done_lock, deadline - now);
    }
    bool is_done = done_count >= count;
    cwinnow_lock_release(done_lock);
    return is_done;
}

uint64_t cwinnow_lines_lost(int32_t stream) {
    return __atomic_load_n(&lost[stream], __ATOMIC_RELAXED);
}

cwinnow_lines_batch cwinnow_lines_seize(void) {
    // Where the thread that was hit holds the lock, what it was about to put is not whole: the
    // lines before it are.
    bool is_held = cwinnow_lock_acquire_within(lock, 100000000);
    // Both buffers stay as they are: nothing is put into them any more.
    is_seized = true;
    size_t size = filled;
    filled = 0;
    if (is_held) {
        cwinnow_lock_release(lock);
    }
    return (cwinnow_lines_batch){(const uint8_t *)filling, size};
}

void cwinnow_lines_give_back(void) {
    cwinnow_lock_acquire(lock);
    is_seized = false;
    cwinnow_lock_release(lock);
}

void cwinnow_lines_after_fork(void) {
    if (lock == NULL) {
        return;
    }
    filling = memory;
    emptying = memory + CWINNOW_LINES_SIZE;
    filled = 0;
    put_count = done_count = taken_count = 0;
    lost[1] = lost[2] = 0;
    is_taker_waiting = is_woken = is_idle = is_seized = is_stuck = false;
    cwinnow_lock_reset(lock);
    cwinnow_lock_reset(done_lock);
}
