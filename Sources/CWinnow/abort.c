// SPDX-License-Identifier: Apache-2.0

/// abort(3), in the place of libc's: for the program and what is linked with it, such as Swift's runtime.
///
/// From glibc 2.41 on, as in Debian 13, libc's raises SIGABRT as it is blocked, and then ends the process before
/// a handler runs. All threads of libdispatch block it, and so those of Swift's concurrency: what waits for the
/// sinks would be lost with each of them that has not logged. POSIX wants it otherwise: abort() "shall override
/// blocking or ignoring the SIGABRT signal". What libc calls itself is libc's own, as for assert(3).

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(protected)

// Weak, as the program may have one of its own, and libc has in a program that is linked statically; and for
// other images as well, as libc's is.
__attribute__((weak, noreturn, visibility("default"))) void abort(void) {
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(SIGABRT);
    // A handler has returned, or the signal is ignored.
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(SIGABRT, &action, NULL);
    raise(SIGABRT);
    // The process is the first of a container, which lives on: kill(2).
    for (;;) {
        __builtin_trap();
    }
}
