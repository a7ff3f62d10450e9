// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowPrinted.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "CWinnowClock.h"
#include "CWinnowHooks.h"
#include "CWinnowOrigin.h"
#include "CWinnowThread.h"
#include "handler.h"
#include "hook.h"
#include "known.h"

#pragma GCC visibility push(protected)

/// The beginnings of lines of one thread.
typedef struct printer {
    struct printer *next, *previous;
    int32_t thread;
    /// Held by the thread that prints, or by the one that hands over what waited too long.
    bool is_busy;
    cwinnow_assembly lines[2];
    uint16_t origins[2];
    uint8_t ways[2];
} printer;

/// How long who prints waits for a lock, whose holder may have come to a halt in a fault.
#define PATIENCE_NANOSECONDS 2000000000u

/// What a piece of a line belongs to.
typedef struct piece {
    printer *printer;
    int32_t stream;
} piece;

static cwinnow_printed_judge judge;
/// Guards the list of printers.
static cwinnow_lock *lock;
static printer *printers;
static pthread_key_t key;
static __thread printer *own;
/// The printers that have the beginning of a line.
static int32_t partial_count;
static cwinnow_lock *verdict_lock;

int32_t cwinnow_scope_count;
uint8_t cwinnow_verdicts[3][CWINNOW_ORIGIN_LIMIT];
uint64_t cwinnow_dropped[CWINNOW_ORIGIN_LIMIT], cwinnow_passed[CWINNOW_ORIGIN_LIMIT];

static void put(void *context, const char *bytes, size_t size, cwinnow_line_end end) {
    const piece *of = context;
    size_t index = (size_t)of->stream - 1;
    cwinnow_line line = {
        .time = cwinnow_assembly_time(&of->printer->lines[index], end),
        .size = (uint32_t)size,
        .thread = of->printer->thread,
        .origin = of->printer->origins[index],
        .stream = (uint8_t)of->stream,
        .end = (uint8_t)end,
        .way = of->printer->ways[index],
    };
    cwinnow_lines_put(line, bytes);
}

static bool is_partial(const printer *printer) {
    return printer->lines[0].size > 0 || printer->lines[1].size > 0;
}

static void hold(printer *printer) {
    // Who holds it copies one line: it gives it back at once.
    while (__atomic_exchange_n(&printer->is_busy, true, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
}

/// Gives the printer back, whose lines may have begun or ended since it was held; has the thread
/// that takes lines look after the first beginning of a line.
static void give_back(printer *printer, bool was_partial) {
    bool is = is_partial(printer);
    __atomic_store_n(&printer->is_busy, false, __ATOMIC_RELEASE);
    if (is == was_partial) {
        return;
    }
    int32_t before = __atomic_fetch_add(&partial_count, is ? 1 : -1, __ATOMIC_SEQ_CST);
    if (is && before == 0) {
        cwinnow_lines_rouse();
    }
}

static void end_lines(printer *printer, cwinnow_line_end end) {
    for (int32_t stream = 1; stream <= 2; stream++) {
        piece of = {printer, stream};
        cwinnow_assembly_end(&printer->lines[stream - 1], end, put, &of);
    }
}

/// At the end of a thread.
static void free_printer(void *ended) {
    printer *printer = ended;
    bool was_suspended = cwinnow_hooks_suspend();
    own = NULL;
    cwinnow_lock_acquire(lock);
    if (printer->previous != NULL) {
        printer->previous->next = printer->next;
    } else {
        printers = printer->next;
    }
    if (printer->next != NULL) {
        printer->next->previous = printer->previous;
    }
    cwinnow_lock_release(lock);
    hold(printer);
    bool was_partial = is_partial(printer);
    end_lines(printer, CWINNOW_LINE_END_CLOSED);
    give_back(printer, was_partial);
    cwinnow_assembly_free(&printer->lines[0]);
    cwinnow_assembly_free(&printer->lines[1]);
    munmap(printer, sizeof *printer);
    cwinnow_hooks_resume(was_suspended);
}

/// Returns the printer of the thread; NULL where none can be made, as within a handler, whose
/// thread may hold the lock. By the kernel: malloc(3) may be what prints.
static printer *own_printer(void) {
    if (own != NULL || cwinnow_handler_is_running()) {
        return own;
    }
    printer *made = mmap(
        NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        return NULL;
    }
    bool is_held = cwinnow_lock_acquire_within(lock, PATIENCE_NANOSECONDS);
    if (!is_held || pthread_setspecific(key, made) != 0) {
        if (is_held) {
            cwinnow_lock_release(lock);
        }
        munmap(made, sizeof *made);
        return NULL;
    }
    made->thread = cwinnow_thread_id();
    made->next = printers;
    if (printers != NULL) {
        printers->previous = made;
    }
    printers = made;
    cwinnow_lock_release(lock);
    own = made;
    return made;
}

bool cwinnow_printed_prepare(cwinnow_printed_judge with) {
    if (lock != NULL) {
        return true;
    }
    if (pthread_key_create(&key, free_printer) != 0) {
        return false;
    }
    judge = with;
    verdict_lock = cwinnow_lock_make();
    lock = cwinnow_lock_make();
    return true;
}

void cwinnow_printed_reset_verdicts(void) {
    cwinnow_lock_acquire(verdict_lock);
    for (size_t stream = 1; stream <= 2; stream++) {
        for (size_t origin = 0; origin < CWINNOW_ORIGIN_LIMIT; origin++) {
            __atomic_store_n(
                &cwinnow_verdicts[stream][origin], CWINNOW_VERDICT_NONE, __ATOMIC_RELAXED);
        }
    }
    cwinnow_lock_release(verdict_lock);
}

void cwinnow_printed_add_scopes(int32_t count) {
    __atomic_fetch_add(&cwinnow_scope_count, count, __ATOMIC_ACQ_REL);
}

/// Decides on an origin, with code of Swift's: not within a signal's handler, whose bytes pass.
static cwinnow_verdict decide(uint32_t origin, int32_t stream) {
    int saved_errno = errno;
    if (cwinnow_handler_is_running() ||
        !cwinnow_lock_acquire_within(verdict_lock, PATIENCE_NANOSECONDS)) {
        return CWINNOW_VERDICT_PASS;
    }
    int32_t cancellation = cwinnow_cancellation_put_off();
    cwinnow_verdict verdict = judge.verdict(origin, stream);
    __atomic_store_n(&cwinnow_verdicts[stream][origin], (uint8_t)verdict, __ATOMIC_RELAXED);
    cwinnow_lock_release(verdict_lock);
    cwinnow_cancellation_restore(cancellation);
    errno = saved_errno;
    return verdict;
}

/// Whether the bytes are for the scope of the running task.
static bool is_for_scope(int32_t stream, uint32_t origin) {
    int saved_errno = errno;
    int32_t cancellation = cwinnow_cancellation_put_off();
    bool is_taken = judge.scope(stream, NULL, 0, origin);
    cwinnow_cancellation_restore(cancellation);
    errno = saved_errno;
    return is_taken;
}

/// What the scopes and the rules say of what an origin prints.
static cwinnow_printed judge_printed(int32_t stream, uint32_t origin) {
    bool has_scope = __atomic_load_n(&cwinnow_scope_count, __ATOMIC_RELAXED) > 0;
    // A scope is Swift's, which takes memory: what a signal's handler prints comes to the rules.
    if (has_scope && !cwinnow_handler_is_running() && is_for_scope(stream, origin)) {
        return (cwinnow_printed){stream, origin, CWINNOW_VERDICT_TAKE, true};
    }
    cwinnow_verdict verdict =
        (cwinnow_verdict)__atomic_load_n(&cwinnow_verdicts[stream][origin], __ATOMIC_RELAXED);
    if (verdict == CWINNOW_VERDICT_NONE) {
        verdict = decide(origin, stream);
    }
    if (verdict == CWINNOW_VERDICT_PASS) {
        __atomic_fetch_add(&cwinnow_passed[origin], 1, __ATOMIC_RELAXED);
    } else if (verdict == CWINNOW_VERDICT_DROP) {
        __atomic_fetch_add(&cwinnow_dropped[origin], 1, __ATOMIC_RELAXED);
    }
    return (cwinnow_printed){stream, origin, verdict, false};
}

cwinnow_printed cwinnow_printed_look(int32_t stream, const void *frame) {
    uint32_t origin = cwinnow_origin_of_printing(frame);
    if (origin == CWINNOW_ORIGIN_UNASKED) {
        origin = CWINNOW_ORIGIN_UNKNOWN;
    } else if (!cwinnow_thread_is_in_sink()) {
        return judge_printed(stream, origin);
    }
    // What a sink prints must not come back to it, and is no rule's to drop: it is the log.
    __atomic_fetch_add(&cwinnow_passed[origin], 1, __ATOMIC_RELAXED);
    return (cwinnow_printed){stream, origin, CWINNOW_VERDICT_PASS, false};
}

/// Adds the parts to the line of the thread, between which nobody hands it over.
static bool assemble(printer *printer, cwinnow_printed printed, cwinnow_line_way way,
    const struct iovec *parts, int count) {
    size_t index = (size_t)printed.stream - 1;
    piece of = {printer, printed.stream};
    hold(printer);
    bool was_partial = is_partial(printer);
    if (printer->origins[index] != printed.origin) {
        cwinnow_assembly_end(&printer->lines[index], CWINNOW_LINE_END_ORIGIN, put, &of);
        printer->origins[index] = (uint16_t)printed.origin;
    }
    printer->ways[index] = (uint8_t)way;
    bool is_taken = true;
    for (int part = 0; is_taken && part < count; part++) {
        size_t size = parts[part].iov_len;
        is_taken = cwinnow_assembly_add(&printer->lines[index], parts[part].iov_base, size, put,
                                        &of) == size;
    }
    give_back(printer, was_partial);
    return is_taken;
}

static bool give_to_scope(cwinnow_printed printed, const struct iovec *parts, int count) {
    bool is_taken = true;
    int32_t cancellation = cwinnow_cancellation_put_off();
    for (int part = 0; is_taken && part < count; part++) {
        is_taken = judge.scope(
            printed.stream, parts[part].iov_base, parts[part].iov_len, printed.origin);
    }
    cwinnow_cancellation_restore(cancellation);
    return is_taken;
}

bool cwinnow_printed_take(cwinnow_printed printed, cwinnow_line_way way,
    const struct iovec *parts, int count) {
    if (printed.is_scoped) {
        return give_to_scope(printed, parts, count);
    }
    bool is_empty = count == 1 && parts->iov_len == 0;
    if (printed.verdict == CWINNOW_VERDICT_DROP || is_empty) {
        return true;
    }
    printer *printer = own_printer();
    return printer != NULL && assemble(printer, printed, way, parts, count);
}

bool cwinnow_printed_is_partial(void) {
    return __atomic_load_n(&partial_count, __ATOMIC_SEQ_CST) > 0;
}

/// Hands over the lines of one thread that nothing was added to since the time.
static void flush_printer(printer *printer, uint64_t before, cwinnow_line_end end) {
    if (__atomic_exchange_n(&printer->is_busy, true, __ATOMIC_ACQUIRE)) {
        return; // It prints just now.
    }
    bool was_partial = is_partial(printer);
    for (int32_t stream = 1; stream <= 2; stream++) {
        cwinnow_assembly *assembly = &printer->lines[stream - 1];
        if (assembly->touched <= before) {
            piece of = {printer, stream};
            cwinnow_assembly_end(assembly, end, put, &of);
        }
    }
    give_back(printer, was_partial);
}

bool cwinnow_printed_flush(uint64_t nanoseconds) {
    if (!cwinnow_printed_is_partial()) {
        return false;
    }
    uint64_t now = cwinnow_clock_monotonic();
    cwinnow_line_end end =
        nanoseconds == 0 ? CWINNOW_LINE_END_CLOSED : CWINNOW_LINE_END_TIMEOUT;
    if (!cwinnow_lock_acquire_within(lock, PATIENCE_NANOSECONDS)) {
        return cwinnow_printed_is_partial();
    }
    for (printer *printer = printers; printer != NULL; printer = printer->next) {
        flush_printer(printer, now - nanoseconds, end);
    }
    cwinnow_lock_release(lock);
    return cwinnow_printed_is_partial();
}

uint64_t cwinnow_printed_dropped(uint32_t origin) {
    return __atomic_load_n(&cwinnow_dropped[origin], __ATOMIC_RELAXED);
}

uint64_t cwinnow_printed_passed(uint32_t origin) {
    return __atomic_load_n(&cwinnow_passed[origin], __ATOMIC_RELAXED);
}

void cwinnow_printed_after_fork(void) {
    if (lock == NULL) {
        return;
    }
    // What the parent's threads have begun is the parent's to print; the memory of the other
    // threads' printers is left alone, as a thread may have been about to change it.
    printers = NULL;
    partial_count = 0;
    cwinnow_scope_count = 0;
    own = NULL;
    pthread_setspecific(key, NULL);
    cwinnow_lock_reset(lock);
    cwinnow_lock_reset(verdict_lock);
}
