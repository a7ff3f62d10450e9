// SPDX-License-Identifier: Apache-2.0

// What the program would have been told had it printed itself what a rule passes on: SIGPIPE, by which
// `program | head` ends.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CWinnowHooks.h"
#include "CWinnowSignal.h"
#include "CWinnowThread.h"
#include "hook.h"

#pragma GCC visibility push(protected)

static bool is_broken;

void cwinnow_pipe_note_broken(void) {
    __atomic_store_n(&is_broken, true, __ATOMIC_RELAXED);
}

static bool has_handler(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) != 0 ||
        (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/// Whether the handler is the one of CWinnowSignal.h, which stands for the default action, and for
/// that of faults as well.
static bool is_ours(const struct sigaction *action) {
    struct sigaction of_fault;
    return has_handler(action) && sigaction(SIGILL, NULL, &of_fault) == 0 &&
        has_handler(&of_fault) && of_fault.sa_sigaction == action->sa_sigaction;
}

/// The bytes of what the kernel tells of a thread that are read: among them is what is looked for.
#define STATUS_BYTES 8192

/// Whether a thread lets the signal come: also one of which that cannot be read, unless it has ended.
/// Source: proc_pid_status(5), SigBlk.
static bool lets_come(const char *thread) {
    char path[64], text[STATUS_BYTES];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    int error = size < 0 ? errno : 0;
    if (file >= 0) {
        close(file);
    }
    text[size < 0 ? 0 : size] = '\0';
    static const char name[] = "\nSigBlk:";
    const char *mask = strstr(text, name);
    if (mask == NULL) {
        return error != ENOENT && error != ESRCH;
    }
    return (strtoull(mask + sizeof name - 1, NULL, 16) >> (SIGPIPE - 1) & 1) == 0;
}

/// Whether no thread would get the signal, as all block it, ours among them: a print of the
/// program's own would only have failed then. Source: pthread_sigmask(3), signal(7).
static bool is_blocked(void) {
    DIR *threads = opendir("/proc/self/task");
    if (threads == NULL) {
        return false;
    }
    bool is_let_come = false;
    const struct dirent *entry = readdir(threads);
    for (; entry != NULL && !is_let_come; entry = readdir(threads)) {
        is_let_come = entry->d_name[0] != '.' && lets_come(entry->d_name);
    }
    closedir(threads);
    return !is_let_come;
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
    bool is_ignored = !has_handler(&action) && action.sa_handler != SIG_DFL;
    if (is_ignored || is_blocked()) {
        return;
    }
    if (has_handler(&action) && !is_ours(&action)) {
        kill(getpid(), SIGPIPE);
    } else {
        void *is_caught = has_handler(&action) ? &is_ending : NULL;
        is_ending = cwinnow_thread_start("winnow-pipe", end, is_caught) == 0;
    }
}
