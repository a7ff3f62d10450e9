// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "interrupted.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "CWinnowThread.h"
#include "futex.h"
#include "signalsets.h"

#pragma GCC visibility push(protected)

/// How long a thread that waited is kept from going on, while another ends the process by the signal: more
/// than the end takes.
#define HOLD_NANOSECONDS ((uint64_t)10000000000)

/// Whether the call waits for what others do. The kernel makes it again behind the handler, SA_RESTART, and it may
/// find then that the others have ended meanwhile, by one Ctrl-C for all.
static bool waits_for_others(uint64_t call) {
    return call == SYS_read || call == SYS_readv || call == SYS_recvfrom || call == SYS_recvmsg ||
           call == SYS_recvmmsg || call == SYS_accept || call == SYS_accept4 || call == SYS_wait4 ||
           call == SYS_waitid;
}

/// What the handler of a signal finds in the context of its thread.
typedef struct interrupted {
    /// The instruction at which the thread goes on.
    const uint8_t *instruction;
    /// What the system call behind it has returned, if there is one.
    int64_t result;
    /// The number of the system call that the instruction makes, if it makes one.
    uint64_t call;
} interrupted;

#if defined(__x86_64__)

/// The bytes of the instruction that makes a system call: SYSCALL, AMD64 APM volume 3.
static const uint8_t call_instruction[] = {0x0F, 0x05};

static interrupted interrupted_at(const ucontext_t *context) {
    const greg_t *registers = context->uc_mcontext.gregs;
    interrupted found = {(const uint8_t *)registers[REG_RIP], registers[REG_RAX],
                         (uint64_t)registers[REG_RAX]};
    return found;
}

#elif defined(__aarch64__)

/// The bytes of SVC #0.
static const uint8_t call_instruction[] = {0x01, 0x00, 0x00, 0xD4};

static interrupted interrupted_at(const ucontext_t *context) {
    const mcontext_t *machine = &context->uc_mcontext;
    interrupted found = {(const uint8_t *)machine->pc, (int64_t)machine->regs[0], machine->regs[8]};
    return found;
}

#else
#error "where does the context of a signal have the instruction and the result of a system call?"
#endif

/// Whether the instruction makes a system call.
static bool is_call(const uint8_t *instruction) {
    for (size_t index = 0; index < sizeof call_instruction; index++) {
        if (instruction[index] != call_instruction[index]) {
            return false;
        }
    }
    return true;
}

/// Whether the thread waited in a system call: in one that the signal has ended by EINTR, signal(7), or in
/// one that is made again and waits for others.
static bool has_waited(const ucontext_t *context) {
    interrupted found = interrupted_at(context);
    size_t size = sizeof call_instruction;
    if (found.result == -EINTR) {
        // Before the first page of the code there may be nothing to look at.
        return ((uintptr_t)found.instruction & 0xFFF) >= size && is_call(found.instruction - size);
    }
    return waits_for_others(found.call) && is_call(found.instruction);
}

/// Whether the thread waits in its handler for the end of the process.
static __thread bool is_held __attribute__((tls_model("initial-exec")));

/// Whether the signal is Winnow's to handle.
static bool is_caught(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0 &&
           action.sa_sigaction == cwinnow_signal_handle;
}

/// Returns what a thread blocks that is held: all but the requests to end the process, a second of which
/// may cut the end short.
///
/// The mask in the context says nothing: sigsuspend(2) and its like block others while they wait.
static sigset_t mask_of_held(void) {
    sigset_t mask;
    sigfillset(&mask);
    for (size_t index = 0; index < CWINNOW_COUNT(requests_to_end); index++) {
        if (is_caught(requests_to_end[index])) {
            sigdelset(&mask, requests_to_end[index]);
        }
    }
    return mask;
}

void cwinnow_interrupted_hold(const ucontext_t *context) {
    if (is_held || cwinnow_thread_is_in_sink() || cwinnow_thread_is_in_wait() ||
        !has_waited(context)) {
        return;
    }
    is_held = true;
    sigset_t mask = mask_of_held();
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    struct timespec deadline = cwinnow_futex_deadline(HOLD_NANOSECONDS);
    uint32_t word = 0;
    while (cwinnow_futex_sleep_while(&word, 0, &deadline)) {
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    is_held = false;
}
