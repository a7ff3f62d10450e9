// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowRing.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CWinnowThread.h"

#pragma GCC visibility push(protected)

cwinnow_delivery cwinnow_process_delivery = {.sleep = cwinnow_worker_absent};

/// The bytes in front of the storage: the structure, on pages of its own.
#define STRUCTURE_BYTES 4096

_Static_assert(sizeof(cwinnow_ring) <= STRUCTURE_BYTES, "the structure fits in front of the storage");

cwinnow_ring *cwinnow_ring_make(uint64_t byte_count) {
    void *memory = mmap(NULL, STRUCTURE_BYTES + byte_count, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    cwinnow_ring *ring = memory;
    ring->base = (uint8_t *)memory + STRUCTURE_BYTES;
    ring->end = ring->base + byte_count;
    ring->cursor = ring->base;
    ring->offset = 0 - (uint64_t)(uintptr_t)ring->base;
    ring->thread = cwinnow_thread_id();
    ring->closes_at_once = cwinnow_stamp_counts();
    ring->stuck_at = UINT64_MAX;
    cwinnow_ring_refill(ring, 0);
    return ring;
}

void cwinnow_ring_free(cwinnow_ring *ring) {
    munmap(ring, STRUCTURE_BYTES + (size_t)cwinnow_ring_capacity(ring));
}

/// The bytes that records of a level may fill: half for info and debug, three quarters for notice.
static uint64_t share_of(uint64_t capacity, unsigned level) {
    return level >= 6 ? capacity / 2 : level == 5 ? capacity / 4 * 3 : capacity;
}

/// Goes to the start of the storage where its end is too short for a record and its start is free.
static void skip_end(cwinnow_ring *ring, uint64_t used) {
    uint64_t capacity = cwinnow_ring_capacity(ring);
    uint64_t rest = (uint64_t)(ring->end - ring->cursor);
    if (rest >= CWINNOW_RING_LEAD || capacity - used < rest + CWINNOW_RING_LEAD) {
        return;
    }
    if (rest > 0) {
        *(uint64_t *)(void *)ring->cursor = rest | CWINNOW_RING_FILLER;
    }
    ring->offset += capacity;
    cwinnow_ring_publish(ring, ring->base);
}

bool cwinnow_ring_refill(cwinnow_ring *ring, uint8_t level) {
    uint64_t capacity = cwinnow_ring_capacity(ring);
    uint64_t read = cwinnow_ring_read(ring);
    skip_end(ring, cwinnow_ring_position(ring) - read);
    uint64_t used = cwinnow_ring_position(ring) - read;
    uint64_t rest = (uint64_t)(ring->end - ring->cursor);
    for (unsigned each = 0; each < 8; each++) {
        uint64_t allowed = share_of(capacity, each);
        uint64_t room = allowed > used ? allowed - used : 0;
        room = room < rest ? room : rest;
        ring->soft[each] =
            room >= CWINNOW_RING_LEAD ? ring->cursor + (room - CWINNOW_RING_LEAD) : NULL;
    }
    return ring->cursor <= ring->soft[level];
}

uint8_t *cwinnow_ring_limit(const cwinnow_ring *ring) {
    uint64_t free = cwinnow_ring_capacity(ring) - (cwinnow_ring_position(ring) - cwinnow_ring_read(ring));
    uint64_t rest = (uint64_t)(ring->end - ring->cursor);
    return ring->cursor + (free < rest ? free : rest);
}

bool cwinnow_ring_take_apart(cwinnow_ring *ring, uint64_t byte_count) {
    uint64_t waiting = ring->apart - __atomic_load_n(&ring->apart_read, __ATOMIC_ACQUIRE);
    if (waiting > 0 && waiting + byte_count > cwinnow_ring_capacity(ring)) {
        return false;
    }
    ring->apart += byte_count;
    return true;
}

void cwinnow_ring_reset(cwinnow_ring *ring) {
    ring->read = ring->published;
    ring->taken = ring->published;
    ring->apart_read = ring->apart;
    ring->lost_since = 0;
    ring->stuck_at = UINT64_MAX;
    for (unsigned level = 0; level < 8; level++) {
        ring->lost[level] = 0;
        ring->told[level] = 0;
    }
}

void cwinnow_ring_lose(cwinnow_ring *ring, uint8_t level, uint64_t time) {
    uint64_t none = 0;
    __atomic_compare_exchange_n(
        &ring->lost_since, &none, time, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->lost_until, time, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->lost[level & 7], ring->lost[level & 7] + 1, __ATOMIC_RELEASE);
}

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

void cwinnow_worker_prepare(void) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) {
        cwinnow_delivery_set_detour();
    }
}
