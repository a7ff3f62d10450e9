// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "frames.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unwind.h>

#include "CWinnowOrigin.h"
#include "CWinnowThread.h"
#include "machine.h"
#include "mapped.h"
#include "sites.h"

/// Where the loader has found the arguments of the program, above the frames of its first thread.
/// Source: glibc, ldsodefs.h.
extern void *__libc_stack_end;

#pragma GCC visibility push(protected)

/// The frames that are looked at. Swift's print has about ten of its own, NSLog about fifteen.
#define FRAME_LIMIT 64
/// The same for the unwinder, which sees inlined runtimes and signal handlers as well.
#define UNWIND_LIMIT 128

/// The bytes that lie between two frames of a stack whose bounds are not known, at most.
#define JUMP_LIMIT ((uintptr_t)1 << 20)

/// A stack; both bounds are 0 where they are not known.
struct stack {
    uintptr_t low, high;
};

/// The bytes above a frame that are looked at page by page for the end of the stack, at most.
#define LOOK_LIMIT ((uintptr_t)1 << 20)

/// What is known of the stack of the thread, and whether it is all, as glibc was asked.
static __thread struct stack thread_stack;
static __thread bool is_stack_known;

static bool holds(struct stack stack, uintptr_t address) {
    return address >= stack.low && address < stack.high;
}

uintptr_t cwinnow_thread_stack_end(void) {
    bool is_first = cwinnow_thread_id() == cwinnow_process_id();
    // What glibc knows of another thread it keeps at the end of its stack.
    return is_first ? (uintptr_t)__libc_stack_end : (uintptr_t)pthread_self();
}

/// Takes the stack of the thread to reach down to a frame, where there is nothing but memory above
/// it up to the end of the stack, as between two stacks there is a page that cannot be read. Unlike
/// glibc it needs no memory: the thread that prints may be an allocator, and hold its lock.
static bool widen_thread_stack(uintptr_t frame) {
    uintptr_t high = cwinnow_thread_stack_end();
    uintptr_t low = thread_stack.high == high ? thread_stack.low : high;
    if (frame >= low || low - frame > LOOK_LIMIT) {
        return false;
    }
    uintptr_t start = frame & ~(CWINNOW_PAGE_SIZE - 1);
    for (uintptr_t page = start; page < low; page += CWINNOW_PAGE_SIZE) {
        if (!cwinnow_is_mapped(page)) {
            return false;
        }
    }
    thread_stack = (struct stack){start, high};
    return true;
}

/// Asks for the stack of the thread, once: of the main thread glibc reads it from /proc.
static void find_thread_stack(void) {
    // First, as glibc calls malloc(3) for it, which may be another's that prints.
    is_stack_known = true;
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        thread_stack = (struct stack){(uintptr_t)low, (uintptr_t)low + size};
    }
    pthread_attr_destroy(&attributes);
}

/// Finds the stack that a frame is on. That of a fiber is not known, nor whether it ends as the
/// unwinder needs it.
static struct stack stack_of(uintptr_t frame) {
    if (holds(thread_stack, frame)) {
        return thread_stack;
    }
    if (!is_stack_known && !widen_thread_stack(frame)) {
        find_thread_stack();
    }
    if (holds(thread_stack, frame)) {
        return thread_stack;
    }
    stack_t alternate;
    struct stack stack = {0, 0};
    if (sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_DISABLE) == 0) {
        stack.low = (uintptr_t)alternate.ss_sp;
        stack.high = stack.low + alternate.ss_size;
    }
    return holds(stack, frame) ? stack : (struct stack){0, 0};
}

/// Whether the frame above another may be one of the stack.
static bool is_above(struct stack stack, uintptr_t frame, uintptr_t above) {
    if (above <= frame || above % sizeof(uintptr_t) != 0) {
        return false;
    }
    if (stack.high != 0) {
        return above < stack.high && sizeof(cwinnow_frame_record) <= stack.high - above;
    }
    return above - frame <= JUMP_LIMIT;
}

/// Reads what a function has left at its frame. Where the bounds of the stack are not known, there may
/// be nothing, or something that another thread unmaps.
__attribute__((no_sanitize("address"))) static bool read_frame(
    struct stack stack, uintptr_t frame, cwinnow_frame_record *ret_record) {
    if (stack.high == 0) {
        return cwinnow_copy_mapped(ret_record, frame, sizeof *ret_record);
    }
    *ret_record = *(const cwinnow_frame_record *)frame;
    return true;
}

struct unwinding {
    uintptr_t frame;
    /// An address in the function that the one which is visited has called.
    uintptr_t callee;
    unsigned count;
    bool is_above;
    uint32_t number;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument) {
    struct unwinding *unwinding = argument;
    // The stack pointer of a function, as it calls the next: our own are not above the frame yet. A
    // signal handler may be on a stack below what it interrupts, so that once above is above.
    unwinding->is_above = unwinding->is_above || _Unwind_GetCFA(context) > unwinding->frame;
    int is_interrupted = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &is_interrupted);
    if (address == 0 || unwinding->count++ >= UNWIND_LIMIT) {
        return _URC_END_OF_STACK;
    }
    if (!unwinding->is_above) {
        return _URC_NO_REASON;
    }
    // What was interrupted has called nothing: it is at the address, not in front of it.
    uint32_t site = cwinnow_site_of(address + (is_interrupted != 0), unwinding->callee);
    unwinding->callee = address - 1;
    if (site < CWINNOW_SITE_ORIGIN) {
        return _URC_NO_REASON;
    }
    unwinding->number = site - CWINNOW_SITE_ORIGIN;
    return _URC_END_OF_STACK;
}

/// Finds the origin by the unwind tables, where frame pointers do not lead on. Code without tables
/// ends the walk.
static uint32_t unwind(uintptr_t frame, uintptr_t callee) {
    struct unwinding unwinding = {frame, callee, 0, false, CWINNOW_ORIGIN_UNKNOWN};
    _Unwind_Backtrace(visit, &unwinding);
    return unwinding.number;
}

// A frame of its own stays what it is however it is instrumented.
__attribute__((no_sanitize("address"))) uint32_t cwinnow_frames_origin(
    uintptr_t frame, uintptr_t callee, cwinnow_trail *ret_trail) {
    ret_trail->count = 0;
    struct stack stack = stack_of(frame);
    uintptr_t at = frame, called = callee;
    for (unsigned count = 0; count < FRAME_LIMIT; count++) {
        cwinnow_frame_record record;
        if (!read_frame(stack, at, &record)) {
            break;
        }
        if (count < CWINNOW_TRAIL_LIMIT) {
            ret_trail->records[count] = record;
        }
        uintptr_t return_address = cwinnow_machine_strip(record.return_address);
        uint32_t site = cwinnow_site_of(return_address, called);
        if (site >= CWINNOW_SITE_ORIGIN) {
            // Of a stack with no known bounds, what was mapped then need not be mapped the next time.
            bool is_kept = stack.high != 0 && count < CWINNOW_TRAIL_LIMIT;
            ret_trail->count = is_kept ? count + 1 : 0;
            return site - CWINNOW_SITE_ORIGIN;
        }
        uintptr_t above = record.frame & ~CWINNOW_ASYNC_MARK;
        if (site == CWINNOW_SITE_FRAMELESS || !is_above(stack, at, above)) {
            break;
        }
        at = above;
        called = return_address - 1;
    }
    return stack.high == 0 ? CWINNOW_ORIGIN_UNKNOWN : unwind(frame, callee);
}
