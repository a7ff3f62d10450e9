// SPDX-License-Identifier: Apache-2.0

/// The rings as a signal's handler sees them, which counts what nobody has read.

#include <stddef.h>

#include "CWinnowSignal.h"
#include "CWinnowThread.h"

#pragma GCC visibility push(protected)

#define RING_COUNT 1024

static cwinnow_ring *rings[RING_COUNT];
/// The handlers that look at the rings now.
static unsigned readers;

static uint64_t unread_of(const cwinnow_ring *ring) {
    uint64_t count = 0;
    uint64_t end = cwinnow_ring_published(ring);
    // What was taken has its numbers, and is on its way to the sinks.
    uint64_t taken = cwinnow_ring_taken(ring), read = cwinnow_ring_read(ring);
    uint64_t position = taken > read ? taken : read;
    while (position < end) {
        uint64_t word = *(const uint64_t *)(const void *)cwinnow_ring_address(ring, position);
        uint64_t size = word & CWINNOW_RING_SIZE & ~(uint64_t)CWINNOW_RING_APART;
        if (size == 0 || size % 8 != 0 || size > end - position) {
            break;
        }
        count += (word & CWINNOW_RING_FILLER) == 0;
        position += size;
    }
    return count;
}

/// The records that the ring had no room for, and that no account has.
static uint64_t untold_of(const cwinnow_ring *ring) {
    uint64_t count = 0;
    for (uint8_t level = 0; level < 8; level++) {
        count += cwinnow_ring_lost(ring, level) - cwinnow_ring_told(ring, level);
    }
    return count;
}

/// Whether there is a record in a ring, or one that found no room there.
static bool has_any(const cwinnow_ring *ring) {
    return cwinnow_ring_read(ring) != cwinnow_ring_published(ring) || untold_of(ring) != 0;
}

bool cwinnow_ending_has_unread(void) {
    bool is_any = false;
    __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
    for (size_t index = 0; index < RING_COUNT && !is_any; index++) {
        const cwinnow_ring *ring = __atomic_load_n(&rings[index], __ATOMIC_ACQUIRE);
        const cwinnow_ring *nested = ring == NULL ? NULL : cwinnow_ring_nested(ring);
        is_any = (ring != NULL && has_any(ring)) || (nested != NULL && has_any(nested));
    }
    __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
    return is_any;
}

/// The records that lie in the rings, or found no room there.
uint64_t cwinnow_ending_unread(void) {
    uint64_t count = 0;
    __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
    for (size_t index = 0; index < RING_COUNT; index++) {
        const cwinnow_ring *ring = __atomic_load_n(&rings[index], __ATOMIC_ACQUIRE);
        if (ring == NULL) {
            continue;
        }
        count += unread_of(ring) + untold_of(ring);
        const cwinnow_ring *nested = cwinnow_ring_nested(ring);
        count += nested == NULL ? 0 : unread_of(nested);
    }
    __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
    return count;
}

static int64_t waiting;
static uint64_t underway;

void cwinnow_ending_note_waiting(int64_t count) {
    __atomic_fetch_add(&waiting, count, __ATOMIC_RELAXED);
}

uint64_t cwinnow_ending_waiting(void) {
    int64_t count = __atomic_load_n(&waiting, __ATOMIC_RELAXED);
    return count > 0 ? (uint64_t)count : 0;
}

void cwinnow_ending_note_underway(uint64_t count) {
    __atomic_store_n(&underway, count, __ATOMIC_RELAXED);
}

uint64_t cwinnow_ending_underway(void) {
    return __atomic_load_n(&underway, __ATOMIC_RELAXED);
}

void cwinnow_ending_forget_waiting(void) {
    __atomic_store_n(&waiting, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&underway, 0, __ATOMIC_RELAXED);
}

bool cwinnow_ending_add_ring(cwinnow_ring *ring) {
    for (size_t index = 0; index < RING_COUNT; index++) {
        if (rings[index] == NULL) {
            __atomic_store_n(&rings[index], ring, __ATOMIC_RELEASE);
            return true;
        }
    }
    return false;
}

void cwinnow_ending_remove_ring(cwinnow_ring *ring) {
    for (size_t index = 0; index < RING_COUNT; index++) {
        if (rings[index] == ring) {
            __atomic_store_n(&rings[index], NULL, __ATOMIC_SEQ_CST);
        }
    }
    // Whoever looks at it still is a handler, which is soon done, or stopped for good.
    for (int wait = 0; wait < 100 && __atomic_load_n(&readers, __ATOMIC_SEQ_CST) != 0; wait++) {
        cwinnow_thread_pause(1000000);
    }
}
