// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowWorker.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CWinnowOnlyThread.h"

#pragma GCC visibility push(protected)

/// Whether the process is registered for membarrier(2), or every call fences.
static bool is_prepared;

static void barrier(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    // Where it fails the producers fence: from the beginning, or once a filter of system calls
    // forbids it.
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        cwinnow_delivery_set_detour();
    }
}

void cwinnow_worker_set_state(uint32_t state) {
    __atomic_store_n(&cwinnow_process_delivery.sleep, state, __ATOMIC_SEQ_CST);
    if (state == cwinnow_worker_asleep) {
        barrier();
    }
}

void cwinnow_worker_wait(uint32_t state, uint64_t nanoseconds) {
    struct timespec time = {
        .tv_sec = (time_t)(nanoseconds / 1000000000u),
        .tv_nsec = (long)(nanoseconds % 1000000000u),
    };
    syscall(SYS_futex, &cwinnow_process_delivery.sleep, FUTEX_WAIT_PRIVATE, state,
            nanoseconds == 0 ? NULL : &time, NULL, 0);
}

void cwinnow_worker_notify(void) {
    int saved = errno;
    syscall(SYS_futex, &cwinnow_process_delivery.sleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

void cwinnow_worker_wake(void) {
    uint32_t state = cwinnow_worker_state();
    while (state == cwinnow_worker_asleep || state == cwinnow_worker_napping) {
        if (__atomic_compare_exchange_n(&cwinnow_process_delivery.sleep, &state,
                                        cwinnow_worker_awake, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
            cwinnow_worker_notify();
            break;
        }
    }
}

bool cwinnow_worker_is_prepared(void) {
    return __atomic_load_n(&is_prepared, __ATOMIC_ACQUIRE);
}

void cwinnow_worker_prepare(void) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) {
        cwinnow_delivery_set_detour();
    }
    __atomic_store_n(&is_prepared, true, __ATOMIC_RELEASE);
}

void cwinnow_worker_prepare_alone(void) {
    int saved = errno;
    if (cwinnow_thread_is_only() && !cwinnow_worker_is_prepared()) {
        cwinnow_worker_prepare();
    }
    errno = saved;
}

void cwinnow_worker_forget_parent(void) {
    __atomic_store_n(&is_prepared, false, __ATOMIC_RELEASE);
    __atomic_store_n(&cwinnow_process_delivery.sleep, cwinnow_worker_absent, __ATOMIC_SEQ_CST);
}
