// SPDX-License-Identifier: Apache-2.0

/// The signals that end a process, by what raises them.

#ifndef CWINNOW_SIGNALSETS_H
#define CWINNOW_SIGNALSETS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define CWINNOW_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/// What the kernel raises where the same instruction would raise it again.
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
/// What else is raised by, or within, a thread that cannot go on; as is SIGPIPE.
static const int halts[] = {SIGABRT, SIGTRAP, SIGSYS};
/// What ends the process from outside unless it is handled: signal(7), the action "Term" or "Core".
static const int terminations[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGALRM, SIGUSR1,   SIGUSR2,
                                   SIGPROF, SIGXCPU, SIGXFSZ, SIGIO,   SIGPWR,  SIGSTKFLT, SIGVTALRM};
/// What of these a person or a manager sends, and not the timers of the program.
static const int requests_to_end[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

/// Whether the signal is one of them. AS-Safe.
static inline bool cwinnow_is_among(int signal, const int *signals, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if (signals[index] == signal) {
            return true;
        }
    }
    return false;
}

/// Adds what tells of a crash to a set, or deletes it from there: sigaddset(3), sigdelset(3). AS-Safe.
static inline void cwinnow_apply_to_crashes(int (*apply)(sigset_t *, int), sigset_t *set) {
    for (size_t index = 0; index < CWINNOW_COUNT(faults); index++) {
        apply(set, faults[index]);
    }
    for (size_t index = 0; index < CWINNOW_COUNT(halts); index++) {
        apply(set, halts[index]);
    }
}

#endif
