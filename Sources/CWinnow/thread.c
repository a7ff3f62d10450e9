// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowThread.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "futex.h"

#pragma GCC visibility push(protected)

cwinnow_lock *cwinnow_lock_make(void) {
    cwinnow_lock *lock = calloc(1, sizeof *lock);
    if (lock == NULL) {
        abort();
    }
    return lock;
}

void cwinnow_lock_free(cwinnow_lock *lock) {
    free(lock);
}

bool cwinnow_lock_await(cwinnow_lock *lock, uint64_t nanoseconds) {
    struct timespec deadline;
    bool is_bounded = nanoseconds != UINT64_MAX;
    if (is_bounded) {
        deadline = cwinnow_futex_deadline(nanoseconds);
    }
    // A thread that acquires the lock here marks it as awaited, because others may be waiting too.
    while (__atomic_exchange_n(&lock->state, cwinnow_lock_awaited, __ATOMIC_ACQUIRE)
           != cwinnow_lock_free_now) {
        if (!cwinnow_futex_sleep_while(&lock->state, cwinnow_lock_awaited, is_bounded ? &deadline : NULL)) {
            return false;
        }
    }
    return true;
}

void cwinnow_lock_pass_on(cwinnow_lock *lock) {
    cwinnow_futex_wake(&lock->state, 1);
}

void cwinnow_lock_reset(cwinnow_lock *lock) {
    __atomic_store_n(&lock->state, cwinnow_lock_free_now, __ATOMIC_RELEASE);
}

void cwinnow_lock_wait(cwinnow_lock *lock, uint64_t nanoseconds) {
    struct timespec deadline;
    if (nanoseconds != 0) {
        deadline = cwinnow_futex_deadline(nanoseconds);
    }
    // A wake that comes from now on changes the word, so that it is not slept through.
    uint32_t wakes = __atomic_load_n(&lock->wakes, __ATOMIC_RELAXED);
    cwinnow_lock_release(lock);
    while (__atomic_load_n(&lock->wakes, __ATOMIC_ACQUIRE) == wakes
           && cwinnow_futex_sleep_while(&lock->wakes, wakes, nanoseconds != 0 ? &deadline : NULL)) {
    }
    cwinnow_lock_acquire(lock);
}

void cwinnow_lock_wake(cwinnow_lock *lock) {
    __atomic_add_fetch(&lock->wakes, 1, __ATOMIC_RELEASE);
    cwinnow_futex_wake(&lock->wakes, INT_MAX);
}

/// What the kernel keeps of a thread's name, its end included (PR_SET_NAME, prctl(2)).
#define NAME_BYTES 16

typedef struct thread_start {
    void (*body)(void *);
    void *argument;
    char name[NAME_BYTES];
} thread_start;

void cwinnow_thread_pause(uint64_t nanoseconds) {
    struct timespec time = {
        .tv_sec = (time_t)(nanoseconds / 1000000000u),
        .tv_nsec = (long)(nanoseconds % 1000000000u),
    };
    int saved_errno = errno;
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
    errno = saved_errno;
}

int32_t cwinnow_cancellation_put_off(void) {
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void cwinnow_cancellation_restore(int32_t before) {
    pthread_setcancelstate(before, NULL);
}

static __thread bool is_own;

bool cwinnow_thread_is_own(void) {
    return is_own;
}

static void *thread_main(void *argument) {
    thread_start start = *(thread_start *)argument;
    free(argument);
    is_own = true;
    // By the thread itself: for another one glibc writes to a file under /proc, whose descriptor a
    // child that is made meanwhile would inherit.
    prctl(PR_SET_NAME, start.name);
    start.body(start.argument);
    return NULL;
}

int32_t cwinnow_thread_start(const char *name, void (*body)(void *), void *argument) {
    thread_start *start = malloc(sizeof *start);
    if (start == NULL) {
        return -ENOMEM;
    }
    *start = (thread_start){.body = body, .argument = argument};
    strncpy(start->name, name, NAME_BYTES - 1);
    sigset_t all, before;
    sigfillset(&all);
    // What a fault raises, or a system call that seccomp(2) refuses, belongs to the thread that caused it.
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGTRAP);
    sigdelset(&all, SIGSYS);
    // Swift's crash report stops the other threads with it, and complains about each that it cannot stop.
    sigdelset(&all, SIGPROF);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int failure = pthread_create(&thread, NULL, thread_main, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) {
        free(start);
        return -failure;
    }
    pthread_detach(thread);
    return 0;
}

// Keeps the library that this is linked into in memory, whoever closes it: threads of ours run its code,
// handlers of signals and the ends of threads lead there, and Swift's runtime knows its types.
__attribute__((constructor)) static void keep_image(void) {
    Dl_info place;
    struct link_map *image = NULL;
    bool is_known = dladdr1((const void *)keep_image, &place, (void **)&image, RTLD_DL_LINKMAP) != 0;
    // The program itself has no name.
    if (is_known && image != NULL && image->l_name[0] != '\0') {
        dlopen(image->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

__thread int32_t cwinnow_known_thread_id;
int32_t cwinnow_known_process_id;

static void forget_ids(void) {
    cwinnow_known_thread_id = 0;
    __atomic_store_n(&cwinnow_known_process_id, 0, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void renew_ids_after_fork(void) {
    pthread_atfork(NULL, NULL, forget_ids);
}

int32_t cwinnow_thread_id_find(void) {
    cwinnow_known_thread_id = (int32_t)gettid();
    return cwinnow_known_thread_id;
}

int32_t cwinnow_process_id_find(void) {
    int32_t found = (int32_t)getpid();
    __atomic_store_n(&cwinnow_known_process_id, found, __ATOMIC_RELAXED);
    return found;
}

__thread void *cwinnow_state_of_thread;
static pthread_key_t state_key;
static bool has_state_key;
static pthread_once_t state_once = PTHREAD_ONCE_INIT;
static void (*state_release)(void *);

static void state_end(void *state) {
    cwinnow_state_of_thread = NULL;
    __atomic_load_n(&state_release, __ATOMIC_RELAXED)(state);
}

static void state_key_make(void) {
    has_state_key = pthread_key_create(&state_key, state_end) == 0;
}

void cwinnow_thread_set_state(void *state, void (*release)(void *)) {
    __atomic_store_n(&state_release, release, __ATOMIC_RELAXED);
    pthread_once(&state_once, state_key_make);
    cwinnow_state_of_thread = state;
    // Without a key the state is not freed; another's key must not be taken for ours.
    if (has_state_key) {
        pthread_setspecific(state_key, state);
    }
}

int32_t cwinnow_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    return -pthread_atfork(prepare, parent, child);
}

int32_t cwinnow_at_exit(void (*body)(void)) {
    return atexit(body) == 0 && at_quick_exit(body) == 0 ? 0 : -ENOMEM;
}
