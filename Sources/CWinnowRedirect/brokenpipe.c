// SPDX-License-Identifier: Apache-2.0

// What the program would have been told had it printed itself what a rule passes on: SIGPIPE, by which
// `program | head` ends.

#define _GNU_SOURCE
#include <signal.h>

#include "CWinnowHooks.h"
#include "CWinnowSignal.h"
#include "CWinnowThread.h"
#include "hook.h"

static bool is_broken;

void cwinnow_pipe_note_broken(void) {
    __atomic_store_n(&is_broken, true, __ATOMIC_RELAXED);
}

static bool has_handler(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) != 0 ||
        (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/// Whether the handler is the one of CWinnowSignal.h, which stands for the default action, and for that of
/// faults as well.
static bool is_ours(const struct sigaction *action) {
    struct sigaction of_fault;
    return has_handler(action) && sigaction(SIGILL, NULL, &of_fault) == 0 &&
        has_handler(&of_fault) && of_fault.sa_sigaction == action->sa_sigaction;
}

/// Ends the process: on a thread that holds no lock, while the one that takes lines works on.
static void end(void *is_caught) {
    if (is_caught == NULL) {
        cwinnow_ending_await();
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    raise(SIGPIPE);
}

void cwinnow_hooks_raise_broken_pipe(void) {
    static bool is_ending;
    struct sigaction action;
    bool is_due = __atomic_exchange_n(&is_broken, false, __ATOMIC_RELAXED);
    if (!is_due || is_ending || sigaction(SIGPIPE, NULL, &action) != 0) {
        return;
    }
    if (has_handler(&action) && !is_ours(&action)) {
        kill(getpid(), SIGPIPE);
    } else if (has_handler(&action) || action.sa_handler == SIG_DFL) {
        void *is_caught = has_handler(&action) ? &is_ending : NULL;
        is_ending = cwinnow_thread_start("winnow-pipe", end, is_caught) == 0;
    }
}
