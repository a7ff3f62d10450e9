// SPDX-License-Identifier: Apache-2.0

/// What a signal has interrupted.

#ifndef CWINNOW_INTERRUPTED_H
#define CWINNOW_INTERRUPTED_H

#include <signal.h>
#include <ucontext.h>

/// The handler of all signals that Winnow catches.
void cwinnow_signal_handle(int signal, siginfo_t *info, void *context);

/// Keeps a thread that waited in a system call in the handler while the process ends: the program would go
/// on behind the call, as without Winnow it never does.
///
/// Not where the wait is Winnow's own, or that of a sink: what is held there may be needed for the end, and
/// Winnow waits on. For a handler of signals.
void cwinnow_interrupted_hold(const ucontext_t *context);

#endif
