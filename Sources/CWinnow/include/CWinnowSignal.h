// SPDX-License-Identifier: Apache-2.0

/// Signals that end the process: what waits for the sinks is delivered first, with a bound.
///
/// A handler may do next to nothing, and formatting or writing a record is not among it. So the
/// handler asks a thread of its own, the *ending thread*, which does what exit(3) would have it do.
/// Where the thread that was hit cannot go on, after a fault or abort(3), the handler waits for it;
/// then it calls the handler that it found, which may mend the fault and return, or puts back the
/// disposition where it found none and has the signal come again. So Swift's backtrace, a core dump and
/// the exit status are those of a program without it. Where the thread can go on, as after SIGTERM, it
/// does, which gives back the locks that it may hold; the ending thread then ends the process by the
/// signal. A thread that waited in a system call is kept there: the program runs nothing behind it.
///
/// The handler calls what signal-safety(7) lists, and nothing else: it works whatever lock another
/// thread, or the one that was hit, holds.

#ifndef CWINNOW_SIGNAL_H
#define CWINNOW_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "CWinnowRing.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Catches the signals that end the process: those of faults, and of the others those that nobody
/// handles or ignores; the latter not in process 1, which they do not end. Only the first call of the
/// process does anything. One thread at a time, AS-Unsafe.
void cwinnow_signals_catch(void);

/// Lets the signals of faults and of abort(3) reach the thread. From glibc 2.41 on, abort(3) ends a process
/// before any handler runs if the thread blocks SIGABRT, as all threads of libdispatch do, and so those of
/// Swift's concurrency; the kernel does so for a fault. MT-Safe, AS-Safe.
void cwinnow_signals_unblock_halts(void);

/// Has handlers run on a stack of their own where the thread has none for them: one that has no more
/// room on its own could run none, and would end the process without a word. Looks at a thread once; the end of
/// the thread gives the stack back. Keeps errno. MT-Safe, AS-Unsafe.
void cwinnow_signal_stack_prepare(void);

extern __thread bool cwinnow_signal_stack_looked_at __attribute__((tls_model("initial-exec")));

/// Whether the thread was looked at by `cwinnow_signal_stack_prepare`. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline bool cwinnow_signal_stack_is_prepared(void) {
    return cwinnow_signal_stack_looked_at;
}

/// A request to deliver what waits.
typedef struct cwinnow_ending_request {
    uint32_t number;
    /// The signal from outside that ends the process; 0 where a thread waits that cannot go on.
    int32_t signal;
    /// Whether the process ends when it is answered; else a handler of the program's own is called,
    /// which may mend what raised the signal.
    bool is_end;
    /// Whether the worker is such a thread.
    bool is_worker_halted;
} cwinnow_ending_request;

/// Waits for a request. For the ending thread.
cwinnow_ending_request cwinnow_ending_wait(void);

/// Says that what waited is delivered, or counted as lost; does not return where a signal
/// from outside ends the process. For the ending thread.
void cwinnow_ending_answer(cwinnow_ending_request request);

/// How long a handler waits, in nanoseconds: the two seconds that the sinks have at the end, and what waiting for
/// calls under way, and counting and reporting what the sinks did not take, may need.
static inline uint64_t cwinnow_ending_patience(void) {
    return 4000000000;
}

/// Has the ending thread deliver what waits, and waits for it as a signal's handler does: before an
/// end of the process that runs nothing. MT-Safe, AS-Safe.
void cwinnow_ending_await(void);

/// Readies what the ending thread and the handlers share. Before the thread is started.
void cwinnow_ending_prepare(void);

/// Says that there is an ending thread.
void cwinnow_ending_set_present(void);

/// Says that there is none, and no worker: in the child of a fork.
void cwinnow_ending_forget_parent(void);

/// Notes that the calling thread is the worker.
void cwinnow_ending_note_worker(void);

/// Notes that something besides the rings, such as the records of one route, waits and must survive a
/// fault, or no longer waits: a fault asks the ending thread only if anything waits. MT-Safe, AS-Safe.
void cwinnow_ending_note_pending(bool is_pending);

/// Whether `cwinnow_ending_unread` has anything to count. AS-Safe.
bool cwinnow_ending_has_unread(void);

/// Returns the records that lie in the rings and have no numbers yet, or found no room there. AS-Safe.
uint64_t cwinnow_ending_unread(void);

/// Adds to the number of records that wait for sinks; a negative count subtracts. MT-Safe, AS-Safe.
void cwinnow_ending_note_waiting(int64_t count);
/// Returns that number. AS-Safe.
uint64_t cwinnow_ending_waiting(void);
/// Sets the number of records that are on their way to sinks: while the process ends. MT-Safe, AS-Safe.
void cwinnow_ending_note_underway(uint64_t count);
/// Returns that number. AS-Safe.
uint64_t cwinnow_ending_underway(void);
/// Resets both numbers: in the child of a fork.
void cwinnow_ending_forget_waiting(void);

/// Whether the process ends by a fault: the thread that was hit may hold an allocator's lock, for which
/// another thread that frees memory would wait forever. MT-Safe, AS-Safe.
bool cwinnow_ending_keeps_memory(void);

/// Has a handler that has waited in vain count what lies in the ring; false where there are too
/// many. One thread at a time.
bool cwinnow_ending_add_ring(cwinnow_ring *_Nonnull ring);
/// Takes the ring out again. One thread at a time.
void cwinnow_ending_remove_ring(cwinnow_ring *_Nonnull ring);

#ifdef __cplusplus
}
#endif

#endif
