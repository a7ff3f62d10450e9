// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowThread.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "futex.h"
#include "signalsets.h"

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
    cwinnow_waits_of_thread++;
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
    cwinnow_waits_of_thread--;
    errno = saved_errno;
}

static __thread bool is_own;

bool cwinnow_thread_is_own(void) {
    return is_own;
}

/// What threads have by default: how the process was started.
static struct {
    cpu_set_t processors;
    struct sched_param parameters;
    int policy, nice;
    bool has_processors;
    /// The thread whose stack grows; in the child of a fork, the first thread may be another one.
    pthread_t first_thread;
    bool has_first_thread;
} defaults;

// Before the program changes it for a thread of its own.
__attribute__((constructor)) static void note_defaults(void) {
    int saved_errno = errno;
    defaults.has_processors = sched_getaffinity(0, sizeof defaults.processors, &defaults.processors) == 0;
    defaults.policy = sched_getscheduler(0);
    sched_getparam(0, &defaults.parameters);
    defaults.nice = getpriority(PRIO_PROCESS, 0);
    defaults.first_thread = pthread_self();
    // A library may be opened by any thread.
    defaults.has_first_thread = gettid() == getpid();
    errno = saved_errno;
}

/// Sets what pthread_attr_t has of it and the calling thread has not: glibc does so before the thread runs,
/// which on the only processor of one that waits for nobody might be never.
///
/// Not what is the default already: a filter of system calls may end the process for the attempt, as the one
/// that systemd.exec(5) recommends for services does, "~@privileged @resources".
static void set_defaults(pthread_attr_t *attributes) {
    cpu_set_t processors;
    if (defaults.has_processors && sched_getaffinity(0, sizeof processors, &processors) == 0 &&
        !CPU_EQUAL(&processors, &defaults.processors)) {
        pthread_attr_setaffinity_np(attributes, sizeof defaults.processors, &defaults.processors);
    }
    struct sched_param parameters = defaults.parameters;
    sched_getparam(0, &parameters);
    bool is_default = sched_getscheduler(0) == defaults.policy &&
                      parameters.sched_priority == defaults.parameters.sched_priority;
    if (!is_default && defaults.policy >= 0 &&
        pthread_attr_setschedpolicy(attributes, defaults.policy) == 0) {
        pthread_attr_setschedparam(attributes, &defaults.parameters);
        pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
    }
}

/// Whether the thread opens files with other rights than the process has: no system call asks for them, but a
/// pipe belongs to whom a file would. Not for a thread of the program's, which close(2) may cancel.
static bool has_other_rights(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    struct stat status;
    bool has_others =
        fstat(ends[0], &status) == 0 && (status.st_uid != geteuid() || status.st_gid != getegid());
    close(ends[0]);
    close(ends[1]);
    return has_others;
}

/// Gives the thread back what else it has inherited from the one that started it; where the system permits it,
/// as it does not permit a user to be nicer than before. pthread_attr_t knows no SCHED_BATCH and no SCHED_IDLE.
static void adopt_defaults(void) {
    if (sched_getscheduler(0) != defaults.policy && defaults.policy >= 0) {
        sched_setscheduler(0, defaults.policy, &defaults.parameters);
    }
    if (getpriority(PRIO_PROCESS, 0) != defaults.nice) {
        setpriority(PRIO_PROCESS, 0, defaults.nice);
    }
    if (has_other_rights()) {
        setfsuid(geteuid());
        setfsgid(getegid());
    }
}

static void *thread_main(void *argument) {
    thread_start start = *(thread_start *)argument;
    free(argument);
    is_own = true;
    adopt_defaults();
    // By the thread itself: for another one glibc writes to a file under /proc, whose descriptor a
    // child that is made meanwhile would inherit.
    prctl(PR_SET_NAME, start.name);
    start.body(start.argument);
    return NULL;
}

/// Blocks the signals that a thread of ours does not take; returns the mask that there was.
static sigset_t block_signals(void) {
    sigset_t all, before;
    sigfillset(&all);
    // What a fault raises, a system call that seccomp(2) refuses, or abort(3), belongs to the thread that
    // caused it.
    cwinnow_apply_to_crashes(sigdelset, &all);
    // Swift's crash report stops the other threads with it, and complains about each that it cannot stop.
    sigdelset(&all, SIGPROF);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

int32_t cwinnow_thread_start(const char *name, void (*body)(void *), void *argument) {
    thread_start *start = malloc(sizeof *start);
    if (start == NULL) {
        return -ENOMEM;
    }
    int saved_errno = errno;
    *start = (thread_start){.body = body, .argument = argument};
    strncpy(start->name, name, NAME_BYTES - 1);
    pthread_attr_t attributes;
    bool has_attributes = pthread_attr_init(&attributes) == 0;
    if (has_attributes) {
        set_defaults(&attributes);
    }
    sigset_t before = block_signals();
    pthread_t thread;
    int failure = has_attributes ? pthread_create(&thread, &attributes, thread_main, start) : EPERM;
    // The process may have given up the right to what it was started with, or its processors are others now.
    if (failure == EPERM || failure == EINVAL) {
        failure = pthread_create(&thread, NULL, thread_main, start);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (has_attributes) {
        pthread_attr_destroy(&attributes);
    }
    errno = saved_errno;
    if (failure != 0) {
        free(start);
        return -failure;
    }
    pthread_detach(thread);
    return 0;
}

/// The beginning of the image that this is linked into: the linker defines it.
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

// Keeps the library that this is linked into in memory, whoever closes it: threads of ours run its code,
// handlers of signals and the ends of threads lead there, and Swift's runtime knows its types.
__attribute__((constructor)) static void keep_image(void) {
    // The program itself stays anyway. dladdr1(3) goes through all its symbols, for 10 us and more.
    if (getauxval(AT_PHDR) == (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff) {
        return;
    }
    Dl_info place;
    struct link_map *image = NULL;
    bool is_known = dladdr1((const void *)keep_image, &place, (void **)&image, RTLD_DL_LINKMAP) != 0;
    // The program has no name, which started by the dynamic linker's own command comes here as well.
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

bool cwinnow_thread_has_room(uint64_t byte_count) {
    if (defaults.has_first_thread && pthread_equal(pthread_self(), defaults.first_thread)) {
        return true;
    }
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return false;
    }
    void *lowest = NULL;
    size_t size = 0;
    bool is_known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
    pthread_attr_destroy(&attributes);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), start = (uintptr_t)lowest;
    return is_known && here >= start && here - start <= size && here - start >= byte_count;
}

bool cwinnow_process_is_untold_child(void) {
    int32_t known = __atomic_load_n(&cwinnow_known_process_id, __ATOMIC_RELAXED);
    return known != 0 && known != (int32_t)getpid();
}

/// How many locks of each rank the thread holds.
static __thread uint8_t held[CWINNOW_RANK_LIMIT] __attribute__((tls_model("initial-exec")));

bool cwinnow_rank_is_free(uint8_t rank) {
    for (; rank < CWINNOW_RANK_LIMIT; rank++) {
        if (held[rank] > 0) {
            return false;
        }
    }
    return true;
}

void cwinnow_rank_enter(uint8_t rank) {
    // A fork holds the locks of all accounts: beyond what can be counted, the thread counts as one that
    // holds them until it has given as many back.
    held[rank] += held[rank] < UINT8_MAX;
}

void cwinnow_rank_leave(uint8_t rank) {
    held[rank] -= held[rank] > 0;
}

void cwinnow_rank_forget(void) {
    memset(held, 0, sizeof held);
}

__thread uint32_t cwinnow_waits_of_thread;
__thread void *cwinnow_state_of_thread;
__thread cwinnow_thread_role cwinnow_role_of_thread;
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
