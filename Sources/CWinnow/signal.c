// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowSignal.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "CWinnowClock.h"
#include "CWinnowDescriptor.h"
#include "CWinnowThread.h"
#include "futex.h"
#include "image.h"
#include "interrupted.h"
#include "signalsets.h"

#pragma GCC visibility push(protected)

/// How long a second signal counts as one with the first: a terminal that is closed, and a manager
/// that ends a service, send two at once.
#define ONE_REQUEST_NANOSECONDS ((uint64_t)500000000)

static struct sigaction previous[NSIG];
static sem_t requests;
/// The process that the handlers are for: not a child of vfork(2), which shares the memory.
static pid_t owner;
static bool is_present;
/// The requests to deliver what waits, and those that are answered.
static uint32_t asked, answered;
/// The signal from outside that ends the process, 0 for none yet; and when it came, on
/// CLOCK_MONOTONIC.
static int termination;
static uint64_t termination_time;
/// The threads that wait in a handler: those that cannot go on, one of which ends the process, and
/// those of which a handler of the program's own decides.
static unsigned ends, halts_to_mend;
static pthread_t worker, ending;
/// Whether a thread was hit that cannot go on.
static bool is_hit;
static bool has_worker, is_worker_halted;

/// Whether the signal ends the process from outside: also one for real time.
static bool is_termination(int signal) {
    return signal >= SIGRTMIN || cwinnow_is_among(signal, terminations, CWINNOW_COUNT(terminations));
}

/// Calls the handler that was there, under the mask that it would have had.
static void forward(int signal, siginfo_t *info, void *context) {
    struct sigaction found = previous[signal];
    if ((found.sa_flags & (int)SA_RESETHAND) != 0) {
        previous[signal].sa_flags = 0;
        previous[signal].sa_handler = SIG_DFL;
    }
    sigset_t mask = ((const ucontext_t *)context)->uc_sigmask;
    sigorset(&mask, &mask, &found.sa_mask);
    if ((found.sa_flags & SA_NODEFER) == 0) {
        sigaddset(&mask, signal);
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if ((found.sa_flags & SA_SIGINFO) != 0) {
        found.sa_sigaction(signal, info, context);
    } else {
        found.sa_handler(signal);
    }
}

/// Whether the process lives on: it is the first of a container, from which the kernel keeps what is sent and
/// not handled: kill(2).
static bool is_survived(int signal, const siginfo_t *info) {
    return previous[signal].sa_handler == SIG_DFL && info->si_code <= 0 && getpid() == 1;
}

/// Whether the program ignores the signal, which the kernel does not heed for a fault, or lives on behind it.
///
/// Not where it is SIGABRT that the thread sends itself, as abort(3) does: from glibc 2.41 on, no handler
/// runs for what follows.
static bool is_ignored(int signal, const siginfo_t *info) {
    if (is_survived(signal, info)) {
        return signal != SIGABRT || info->si_code != SI_TKILL;
    }
    bool is_raised = info->si_code > 0 && cwinnow_is_among(signal, faults, CWINNOW_COUNT(faults));
    return previous[signal].sa_handler == SIG_IGN && !is_raised;
}

/// Whether there was a handler.
static bool is_called(int signal) {
    return previous[signal].sa_handler != SIG_DFL && previous[signal].sa_handler != SIG_IGN;
}

/// Leaves the signal to the handler that was there, which may mend what raised it and return. Where
/// there was none, puts the disposition back and has the signal come again when this handler
/// returns.
static void hand_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction *found = &previous[signal];
    if (is_called(signal)) {
        forward(signal, info, context);
        return;
    }
    if (is_survived(signal, info)) {
        return;
    }
    sigaction(signal, found, NULL);
    // The instruction that a fault stands at is executed again, with its registers as they were.
    if (info->si_code <= 0 || !cwinnow_is_among(signal, faults, CWINNOW_COUNT(faults))) {
        raise(signal);
    }
}

/// Says on standard error that the sinks did not take what waited, and how many records lie in the rings
/// and wait for sinks, where somebody reads it.
static void tell_unread(void) {
    static const char before[] = "winnow: the process ends by a signal before the sinks have taken "
                                 "what waits for them; records that are lost in the queues: ";
    char text[sizeof before + 24];
    memcpy(text, before, sizeof before - 1);
    size_t length = sizeof before - 1;
    char digits[20];
    size_t digit_count = 0;
    uint64_t number = cwinnow_ending_unread() + cwinnow_ending_waiting() + cwinnow_ending_underway();
    do {
        digits[digit_count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (digit_count > 0) {
        text[length++] = digits[--digit_count];
    }
    text[length++] = '\n';
    int32_t descriptor = cwinnow_descriptor_original(STDERR_FILENO);
    if (cwinnow_descriptor_wait_writable(descriptor, 0) == 1) {
        cwinnow_descriptor_write(descriptor, (const uint8_t *)text, length);
    }
}

/// Has the ending thread deliver what waits; returns the number of the request.
static unsigned ask(void) {
    unsigned request = __atomic_add_fetch(&asked, 1, __ATOMIC_ACQ_REL);
    sem_post(&requests);
    return request;
}

/// How much waits beside the rings: see `cwinnow_ending_note_pending`.
static int32_t pending;

void cwinnow_ending_note_pending(bool is_pending) {
    __atomic_fetch_add(&pending, is_pending ? 1 : -1, __ATOMIC_ACQ_REL);
}

/// Whether anything waits that the ending thread could deliver.
static bool is_anything_waiting(void) {
    return __atomic_load_n(&pending, __ATOMIC_ACQUIRE) != 0 || cwinnow_ending_has_unread();
}

/// Waits until the request is answered; false when the time has passed.
static bool await_answer(unsigned request) {
    struct timespec deadline = cwinnow_futex_deadline(cwinnow_ending_patience());
    uint32_t done = __atomic_load_n(&answered, __ATOMIC_ACQUIRE);
    while ((int32_t)(done - request) < 0) {
        if (!cwinnow_futex_sleep_while(&answered, done, &deadline)) {
            return false;
        }
        done = __atomic_load_n(&answered, __ATOMIC_ACQUIRE);
    }
    return true;
}

/// Whether a handler that was there may mend what raises the signal: not one that takes SIGABRT as
/// well, which nobody mends, as Swift's does. It tells of a crash, and the process ends behind it.
static bool may_mend(int signal) {
    return is_called(signal) && signal != SIGABRT &&
           previous[signal].sa_handler != previous[SIGABRT].sa_handler;
}

/// Waits for the sinks to take what waits, on a thread that cannot go on, and hands the signal on.
static void halt(int signal, siginfo_t *info, void *context) {
    bool is_end = !is_survived(signal, info) && !may_mend(signal);
    // Some programs mend many faults, and wait for nobody where nothing waits.
    if (!is_end && !is_anything_waiting() && !cwinnow_thread_is_in_sink()) {
        hand_on(signal, info, context);
        return;
    }
    if (is_end || signal == SIGABRT) {
        __atomic_store_n(&is_hit, true, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(is_end ? &ends : &halts_to_mend, 1, __ATOMIC_ACQ_REL);
    bool is_worker =
        __atomic_load_n(&has_worker, __ATOMIC_ACQUIRE) && pthread_equal(pthread_self(), worker);
    if (is_worker) {
        __atomic_store_n(&is_worker_halted, true, __ATOMIC_RELEASE);
    }
    if (!await_answer(ask())) {
        tell_unread();
    }
    if (!is_end) {
        if (is_worker) {
            __atomic_store_n(&is_worker_halted, false, __ATOMIC_RELEASE);
        }
        // A signal from outside that came meanwhile has waited for this thread, and ends the
        // process now.
        __atomic_fetch_sub(&halts_to_mend, 1, __ATOMIC_ACQ_REL);
        if (__atomic_load_n(&termination, __ATOMIC_ACQUIRE) != 0) {
            ask();
        }
    }
    if (is_end && is_called(signal)) {
        // The handler reports the crash, and the signal ends the process after it; or it jumps out, and
        // then a signal from outside that waited for it would never have an effect.
        __atomic_fetch_sub(&ends, 1, __ATOMIC_ACQ_REL);
    }
    hand_on(signal, info, context);
}

bool cwinnow_ending_keeps_memory(void) {
    return __atomic_load_n(&is_hit, __ATOMIC_RELAXED);
}

/// Whether there is a thread that delivers what waits.
static bool is_served(void) {
    return getpid() == owner && __atomic_load_n(&is_present, __ATOMIC_ACQUIRE);
}

/// Whether the thread can have what waits delivered by another.
static bool may_ask(void) {
    return is_served() && !pthread_equal(pthread_self(), __atomic_load_n(&ending, __ATOMIC_RELAXED));
}

void cwinnow_ending_await(void) {
    int saved_errno = errno;
    if (may_ask()) {
        __atomic_fetch_add(&ends, 1, __ATOMIC_ACQ_REL);
        await_answer(ask());
    }
    errno = saved_errno;
}

/// Whether who sends a further signal does not want to wait: not who sends two at once.
static bool is_impatient(int signal) {
    uint64_t first = __atomic_load_n(&termination_time, __ATOMIC_ACQUIRE);
    return cwinnow_is_among(signal, requests_to_end, CWINNOW_COUNT(requests_to_end)) && first != 0 &&
           cwinnow_clock_monotonic() - first >= ONE_REQUEST_NANOSECONDS;
}

/// Ends the process by a signal from outside: the first has the ending thread do so.
static void terminate(int signal, siginfo_t *info, void *context) {
    int none = 0;
    if (__atomic_compare_exchange_n(&termination, &none, signal, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&termination_time, cwinnow_clock_monotonic(), __ATOMIC_RELEASE);
        ask();
    } else if (is_impatient(signal)) {
        tell_unread();
        hand_on(signal, info, context);
        return;
    }
    cwinnow_interrupted_hold(context);
}

/// With a name that the loader knows, where another image of the process has Winnow too.
void cwinnow_signal_handle(int signal, siginfo_t *info, void *context) {
    int saved_errno = errno;
    if (is_ignored(signal, info)) {
        // As it would be without this handler.
    } else if (is_termination(signal) ? !is_served() : !may_ask()) {
        hand_on(signal, info, context);
    } else if (!is_termination(signal)) {
        halt(signal, info, context);
    } else {
        terminate(signal, info, context);
    }
    errno = saved_errno;
}

/// Whether the handler is that of another image, whose sinks take what waits there, behind ours.
static bool is_of_winnow(const struct sigaction *found) {
    return (found->sa_flags & SA_SIGINFO) != 0 &&
           cwinnow_image_exports((const void *)found->sa_sigaction, "cwinnow_signal_handle");
}

static void catch_one(int signal, const struct sigaction *action, bool only_unhandled) {
    struct sigaction found;
    if (sigaction(signal, NULL, &found) != 0) {
        return;
    }
    bool is_unhandled = (found.sa_flags & SA_SIGINFO) == 0 && found.sa_handler == SIG_DFL;
    if (only_unhandled && !is_unhandled && !is_of_winnow(&found)) {
        return;
    }
    previous[signal] = found;
    sigaction(signal, action, NULL);
}

static void catch_halts(const struct sigaction *action) {
    for (size_t index = 0; index < CWINNOW_COUNT(faults); index++) {
        catch_one(faults[index], action, false);
    }
    for (size_t index = 0; index < CWINNOW_COUNT(halts); index++) {
        catch_one(halts[index], action, false);
    }
}

static void catch_unhandled(const struct sigaction *action) {
    catch_one(SIGPIPE, action, true);
    for (size_t index = 0; index < CWINNOW_COUNT(terminations); index++) {
        catch_one(terminations[index], action, true);
    }
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) {
        catch_one(signal, action, true);
    }
}

void cwinnow_signals_catch(void) {
    static bool are_halts_caught, are_others_caught;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = cwinnow_signal_handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    // With the faults among them: one within the handler ends the process at once.
    sigfillset(&action.sa_mask);
    if (!are_halts_caught) {
        are_halts_caught = true;
        catch_halts(&action);
    }
    // The kernel keeps from the first process of a container what it does not handle: kill(2). Such a
    // signal would end the log, and not the process. A child of it is one as any other.
    if (!are_others_caught && getpid() != 1) {
        are_others_caught = true;
        catch_unhandled(&action);
    }
}

void cwinnow_signals_unblock_halts(void) {
    sigset_t set;
    sigemptyset(&set);
    cwinnow_apply_to_crashes(sigaddset, &set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void cwinnow_ending_prepare(void) {
    sem_init(&requests, 0, 0);
    owner = getpid();
    asked = answered = 0;
    termination = 0;
    termination_time = 0;
    ends = halts_to_mend = 0;
    is_hit = false;
}

void cwinnow_ending_set_present(void) {
    __atomic_store_n(&is_present, true, __ATOMIC_RELEASE);
}

void cwinnow_ending_forget_parent(void) {
    is_present = has_worker = is_worker_halted = false;
}

cwinnow_ending_request cwinnow_ending_wait(void) {
    __atomic_store_n(&ending, pthread_self(), __ATOMIC_RELAXED);
    while (sem_wait(&requests) != 0) {
    }
    cwinnow_ending_request request;
    request.number = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    request.signal = __atomic_load_n(&termination, __ATOMIC_ACQUIRE);
    request.is_end = __atomic_load_n(&ends, __ATOMIC_ACQUIRE) != 0;
    request.is_worker_halted = __atomic_load_n(&is_worker_halted, __ATOMIC_ACQUIRE);
    return request;
}

void cwinnow_ending_answer(cwinnow_ending_request request) {
    __atomic_store_n(&answered, request.number, __ATOMIC_RELEASE);
    cwinnow_futex_wake(&answered, INT_MAX);
    if (request.signal == 0 || __atomic_load_n(&ends, __ATOMIC_ACQUIRE) != 0 ||
        __atomic_load_n(&halts_to_mend, __ATOMIC_ACQUIRE) != 0) {
        return;
    }
    sigaction(request.signal, &previous[request.signal], NULL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, request.signal);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(request.signal);
}

void cwinnow_ending_note_worker(void) {
    worker = pthread_self();
    __atomic_store_n(&has_worker, true, __ATOMIC_RELEASE);
}
