// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowThread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct cwinnow_lock {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

static void lock_initialise(cwinnow_lock *lock) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_cond_init(&lock->condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static struct timespec deadline_after(uint64_t nanoseconds) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    uint64_t sum = (uint64_t)deadline.tv_nsec + nanoseconds % 1000000000u;
    deadline.tv_sec += (time_t)(nanoseconds / 1000000000u + sum / 1000000000u);
    deadline.tv_nsec = (long)(sum % 1000000000u);
    return deadline;
}

cwinnow_lock *cwinnow_lock_make(void) {
    cwinnow_lock *lock = malloc(sizeof *lock);
    if (lock == NULL) {
        abort();
    }
    lock_initialise(lock);
    return lock;
}

void cwinnow_lock_free(cwinnow_lock *lock) {
    pthread_cond_destroy(&lock->condition);
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void cwinnow_lock_acquire(cwinnow_lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}

bool cwinnow_lock_try(cwinnow_lock *lock) {
    return pthread_mutex_trylock(&lock->mutex) == 0;
}

bool cwinnow_lock_acquire_within(cwinnow_lock *lock, uint64_t nanoseconds) {
    if (pthread_mutex_trylock(&lock->mutex) == 0) {
        return true;
    }
    struct timespec deadline = deadline_after(nanoseconds);
    return pthread_mutex_clocklock(&lock->mutex, CLOCK_MONOTONIC, &deadline) == 0;
}

void cwinnow_lock_release(cwinnow_lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}

void cwinnow_lock_reset(cwinnow_lock *lock) {
    lock_initialise(lock);
}

void cwinnow_lock_wait(cwinnow_lock *lock, uint64_t nanoseconds) {
    if (nanoseconds == 0) {
        pthread_cond_wait(&lock->condition, &lock->mutex);
        return;
    }
    struct timespec deadline = deadline_after(nanoseconds);
    pthread_cond_timedwait(&lock->condition, &lock->mutex, &deadline);
}

void cwinnow_lock_wake(cwinnow_lock *lock) {
    pthread_cond_broadcast(&lock->condition);
}

typedef struct thread_start {
    void (*body)(void *);
    void *argument;
} thread_start;

static void *thread_main(void *argument) {
    thread_start start = *(thread_start *)argument;
    free(argument);
    start.body(start.argument);
    return NULL;
}

int32_t cwinnow_thread_start(const char *name, void (*body)(void *), void *argument) {
    thread_start *start = malloc(sizeof *start);
    if (start == NULL) {
        return -ENOMEM;
    }
    *start = (thread_start){body, argument};
    sigset_t all, before;
    sigfillset(&all);
    // What a fault raises belongs to the thread that caused it.
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGTRAP);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int failure = pthread_create(&thread, NULL, thread_main, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) {
        free(start);
        return -failure;
    }
    pthread_setname_np(thread, name);
    pthread_detach(thread);
    return 0;
}

static __thread int32_t thread_id;
static int32_t process_id;

static void forget_ids(void) {
    thread_id = 0;
    __atomic_store_n(&process_id, 0, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void renew_ids_after_fork(void) {
    pthread_atfork(NULL, NULL, forget_ids);
}

int32_t cwinnow_thread_id(void) {
    if (thread_id == 0) {
        thread_id = (int32_t)gettid();
    }
    return thread_id;
}

int32_t cwinnow_process_id(void) {
    int32_t known = __atomic_load_n(&process_id, __ATOMIC_RELAXED);
    if (known == 0) {
        known = (int32_t)getpid();
        __atomic_store_n(&process_id, known, __ATOMIC_RELAXED);
    }
    return known;
}

static __thread void *thread_state;
static pthread_key_t state_key;
static bool has_state_key;
static pthread_once_t state_once = PTHREAD_ONCE_INIT;
static void (*state_release)(void *);

static void state_end(void *state) {
    thread_state = NULL;
    __atomic_load_n(&state_release, __ATOMIC_RELAXED)(state);
}

static void state_key_make(void) {
    has_state_key = pthread_key_create(&state_key, state_end) == 0;
}

void *cwinnow_thread_state(void) {
    return thread_state;
}

void cwinnow_thread_set_state(void *state, void (*release)(void *)) {
    __atomic_store_n(&state_release, release, __ATOMIC_RELAXED);
    pthread_once(&state_once, state_key_make);
    thread_state = state;
    // Without a key the state is not freed; another's key must not be taken for ours.
    if (has_state_key) {
        pthread_setspecific(state_key, state);
    }
}

int32_t cwinnow_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    return -pthread_atfork(prepare, parent, child);
}

int32_t cwinnow_at_exit(void (*body)(void)) {
    return atexit(body) == 0 ? 0 : -ENOMEM;
}

int32_t cwinnow_errno(void) {
    return errno;
}

void cwinnow_set_errno(int32_t value) {
    errno = value;
}
