// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowRing.h"

#include <string.h>
#include <sys/mman.h>

#include "CWinnowThread.h"

#pragma GCC visibility push(protected)

/// The bytes of a page. Where pages are larger, the storage begins at none, and none is provided ahead.
#define PAGE_BYTES 4096
#define STRUCTURE_BYTES CWINNOW_RING_STRUCTURE_BYTES

// A page, which a recorder isolates from the children of the process.
static union {
    cwinnow_delivery delivery;
    uint8_t page[PAGE_BYTES];
} own __attribute__((aligned(PAGE_BYTES), used)) = {.delivery = {.sleep = cwinnow_worker_absent}};
extern cwinnow_delivery cwinnow_process_delivery __attribute__((alias("own"), visibility("hidden")));

static bool is_isolated;

bool cwinnow_delivery_isolate(void) {
    if (is_isolated) {
        return true;
    }
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    memcpy(page, &own, sizeof own);
    ((cwinnow_delivery *)page)->is_own = 1;
    if (madvise(page, PAGE_BYTES, MADV_WIPEONFORK) != 0
        || mremap(page, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, &own) != &own) {
        munmap(page, PAGE_BYTES);
        return false;
    }
    is_isolated = true;
    return true;
}

bool cwinnow_delivery_is_parents(void) {
    return is_isolated && __atomic_load_n(&cwinnow_process_delivery.is_own, __ATOMIC_RELAXED) == 0;
}

void cwinnow_delivery_forget_parent(void) {
    cwinnow_process_delivery.is_own = is_isolated;
}

_Static_assert(sizeof(cwinnow_ring) <= STRUCTURE_BYTES, "the structure fits in front of the storage");

cwinnow_ring *cwinnow_ring_make(uint64_t byte_count) {
    void *memory = mmap(NULL, STRUCTURE_BYTES + byte_count, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : cwinnow_ring_make_in(memory, byte_count);
}

cwinnow_ring *cwinnow_ring_make_in(void *memory, uint64_t byte_count) {
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

uint64_t cwinnow_ring_provide(cwinnow_ring *ring, uint64_t provided, uint64_t position) {
    uint64_t capacity = cwinnow_ring_capacity(ring);
    uint64_t end = position < capacity ? (position + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES : capacity;
    if (end <= provided) {
        return provided;
    }
    madvise(ring->base + provided, (size_t)(end - provided), MADV_POPULATE_WRITE);
    return end;
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
