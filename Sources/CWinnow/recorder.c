// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowRecorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CWinnowClock.h"
#include "CWinnowNumbers.h"
#include "CWinnowRing.h"
#include "recorder.h"

#pragma GCC visibility push(protected)

// The file as it is mapped, or the memory that has taken its place; NULL before. What the process believes of it is
// here, as others may write to the file.
static uint8_t *file;
static uint64_t file_byte_count;
// Whether it is memory of this process alone: in the child of a fork.
static bool is_left;
// The process that has made the file.
static pid_t owner;
// The number of the file, and of the last one; 0 where the process does not record.
static uint32_t number, last_number;
static char path[4096];
static cwinnow_recorder_region regions[cwinnow_recorder_region_capacity];
static uint32_t region_count;
static uint64_t regions_end;

_Static_assert(sizeof(cwinnow_recorder_header) == 264, "others rely on the layout");
_Static_assert(sizeof(cwinnow_recorder_region) == 24, "others rely on the layout");
_Static_assert(sizeof(cwinnow_recorder_image) == 208, "others rely on the layout");
_Static_assert(sizeof(cwinnow_recorder_claimed) == 128, "others rely on the layout");
_Static_assert(sizeof(cwinnow_recorder_state) == 592, "others rely on the layout");
_Static_assert(
    cwinnow_recorder_table_offset + sizeof regions <= cwinnow_recorder_state_offset,
    "the table fits in front of the state");
_Static_assert(sizeof(cwinnow_recorder_queue) <= cwinnow_recorder_unit, "it fits in front of the memory");

static uint64_t round_up(uint64_t count, uint64_t unit) {
    return (count + unit - 1) / unit * unit;
}

static cwinnow_recorder_header *header(void) {
    return (cwinnow_recorder_header *)(void *)file;
}

static cwinnow_recorder_state *state(void) {
    return (cwinnow_recorder_state *)(void *)(file + cwinnow_recorder_state_offset);
}

static void fill(const cwinnow_recorder_header *wanted) {
    cwinnow_recorder_header next = *wanted;
    memset(next.magic, 0, sizeof next.magic);
    next.version = CWINNOW_RECORDER_VERSION;
    next.byte_count = file_byte_count;
    next.began = cwinnow_clock_realtime();
    next.address = (uint64_t)(uintptr_t)file;
    next.process_id = getpid();
    *header() = next;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(header()->magic, CWINNOW_RECORDER_MAGIC, sizeof next.magic);
}

int32_t cwinnow_recorder_begin(
    const char *folder, const char *name, const cwinnow_recorder_header *wanted,
    uint64_t byte_count) {
    // Of a file that was removed, the memory may still be in use, and the child of a fork would share it.
    if (file != NULL && !is_left) {
        return -EBUSY;
    }
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return -ENAMETOOLONG;
    }
    if (byte_count < cwinnow_recorder_least_byte_count) {
        byte_count = cwinnow_recorder_least_byte_count;
    }
    byte_count = round_up(byte_count, cwinnow_recorder_unit);
    uint8_t *memory;
    int32_t outcome = cwinnow_recorder_make(path, byte_count, &memory);
    if (outcome < 0) {
        return outcome;
    }
    file = memory;
    file_byte_count = byte_count;
    is_left = false;
    owner = getpid();
    region_count = 0;
    regions_end = cwinnow_recorder_regions_offset;
    fill(wanted);
    cwinnow_recorder_facts_begin();
    __atomic_store_n(&number, ++last_number, __ATOMIC_RELEASE);
    return 0;
}

uint32_t cwinnow_recorder_number(void) {
    return __atomic_load_n(&number, __ATOMIC_ACQUIRE);
}

uint32_t cwinnow_recorder_masks_values;

void cwinnow_recorder_mask(void) {
    __atomic_store_n(&cwinnow_recorder_masks_values, 1, __ATOMIC_RELEASE);
}

void cwinnow_recorder_set_run(uint32_t run) {
    if (cwinnow_recorder_number() != 0) {
        __atomic_store_n(&header()->run, run, __ATOMIC_RELAXED);
    }
}

// Writes what a region is into the file, its kind last.
static void publish(uint32_t index) {
    cwinnow_recorder_region *table =
        (cwinnow_recorder_region *)(void *)(file + cwinnow_recorder_table_offset);
    __atomic_store_n(&table[index].kind, cwinnow_region_free, __ATOMIC_RELEASE);
    table[index].offset = regions[index].offset;
    table[index].byte_count = regions[index].byte_count;
    __atomic_store_n(&table[index].kind, regions[index].kind, __ATOMIC_RELEASE);
}

// Returns a region of the size that nobody has: one that was given back, or a new one; or the capacity.
static uint32_t find_free(uint64_t byte_count) {
    for (uint32_t index = 0; index < region_count; index++) {
        if (regions[index].kind == cwinnow_region_free
            && regions[index].byte_count == byte_count) {
            return index;
        }
    }
    if (region_count == cwinnow_recorder_region_capacity
        || file_byte_count - regions_end < byte_count) {
        return cwinnow_recorder_region_capacity;
    }
    regions[region_count] = (cwinnow_recorder_region){.offset = regions_end, .byte_count = byte_count};
    regions_end += byte_count;
    return region_count++;
}

void *cwinnow_recorder_take(uint32_t kind, uint64_t byte_count) {
    if (file == NULL || number == 0 || byte_count == 0 || byte_count > file_byte_count) {
        return NULL;
    }
    // A thread without a ring delivers at once; but what waits for a sink, and what is known of the process, must be there.
    bool is_ring = kind == cwinnow_region_ring || kind == cwinnow_region_nested_ring;
    if (is_ring && file_byte_count - regions_end < file_byte_count / 8 + byte_count) {
        return NULL;
    }
    uint32_t index = find_free(round_up(byte_count, cwinnow_recorder_unit));
    if (index == cwinnow_recorder_region_capacity) {
        return NULL;
    }
    uint8_t *region = file + regions[index].offset;
    // Facts are read up to the first that is none.
    memset(region, 0, kind == cwinnow_region_facts ? (size_t)byte_count : cwinnow_recorder_unit);
    regions[index].kind = kind;
    publish(index);
    return region;
}

// Forgets the last regions where nobody has them.
static void shorten(void) {
    while (region_count > 0 && regions[region_count - 1].kind == cwinnow_region_free) {
        region_count -= 1;
        regions_end = regions[region_count].offset;
    }
}

bool cwinnow_recorder_give_back(const void *region) {
    if (!cwinnow_recorder_holds(region)) {
        return false;
    }
    uint64_t offset = (uint64_t)((const uint8_t *)region - file);
    for (uint32_t index = 0; index < region_count; index++) {
        if (regions[index].offset == offset) {
            regions[index].kind = cwinnow_region_free;
            publish(index);
            shorten();
            return true;
        }
    }
    return false;
}

bool cwinnow_recorder_holds(const void *address) {
    return file != NULL && (uintptr_t)address - (uintptr_t)file < file_byte_count;
}

uint64_t cwinnow_recorder_room(void) {
    return number == 0 ? 0 : file_byte_count - regions_end;
}

uint64_t cwinnow_recorder_byte_count(void) {
    return cwinnow_recorder_number() == 0 ? 0 : file_byte_count;
}

void cwinnow_recorder_show_clock(uint64_t stamp, uint64_t realtime, double nanoseconds_per_tick) {
    if (cwinnow_recorder_number() == 0) {
        return;
    }
    // In the place of the older one, which is the one that counts afterwards.
    uint64_t count = state()->clock_count + 1;
    cwinnow_recorder_clock *clock = &state()->clock[count % 2];
    clock->stamp = stamp;
    clock->realtime = realtime;
    clock->nanoseconds_per_tick = nanoseconds_per_tick;
    state()->stamp_is_counter = cwinnow_stamp_counts();
    __atomic_store_n(&state()->clock_count, count, __ATOMIC_RELEASE);
}

// What the child of a fork gets of a ring: its structure, and what the open call has written.
typedef struct kept_ring {
    const cwinnow_ring *ring;
    cwinnow_ring structure;
    uint8_t written[CWINNOW_RING_LEAD];
} kept_ring;

static kept_ring kept[2];
static cwinnow_delivery kept_delivery;

static uint64_t written_byte_count(const cwinnow_ring *ring) {
    uint64_t rest = (uint64_t)(ring->end - ring->cursor);
    return rest < CWINNOW_RING_LEAD ? rest : CWINNOW_RING_LEAD;
}

static void keep(kept_ring *place, const cwinnow_ring *ring) {
    place->ring = NULL;
    if (ring != NULL && cwinnow_recorder_holds(ring)) {
        place->structure = *ring;
        memcpy(place->written, ring->cursor, (size_t)written_byte_count(ring));
        place->ring = ring;
    }
}

void cwinnow_recorder_keep_for_child(const cwinnow_ring *ring, const cwinnow_ring *nested) {
    keep(&kept[0], ring);
    keep(&kept[1], nested);
    kept_delivery = cwinnow_process_delivery;
}

void cwinnow_recorder_forget_child(void) {
    kept[0].ring = NULL;
    kept[1].ring = NULL;
    memset(&kept_delivery, 0, sizeof kept_delivery);
}

// Copies to memory that takes the place of the file what the child of a fork needs of it.
static void copy_for_child(uint8_t *memory) {
    for (uint32_t index = 0; index < region_count; index++) {
        uint64_t start = regions[index].offset, count = regions[index].byte_count;
        const cwinnow_recorder_queue *queue = (const cwinnow_recorder_queue *)(void *)(file + start);
        if (regions[index].kind != cwinnow_region_queue) {
            continue;
        }
        uint64_t lent = queue->lent, lent_count = queue->lent_byte_count;
        if (lent < count && lent_count <= count - lent) {
            memcpy(memory + start + lent, file + start + lent, (size_t)lent_count);
        }
    }
    for (int index = 0; index < 2; index++) {
        const kept_ring *place = &kept[index];
        if (place->ring != NULL) {
            const cwinnow_ring *ring = &place->structure;
            memcpy(memory + ((const uint8_t *)place->ring - file), ring, sizeof *ring);
            memcpy(memory + (ring->cursor - file), place->written, (size_t)written_byte_count(ring));
        }
    }
}

// Has memory of this process alone take the place of the file, whose lock ends with the mapping.
static void leave_file(void) {
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, (size_t)file_byte_count, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (memory != MAP_FAILED) {
        copy_for_child(memory);
        void *moved = mremap(memory, (size_t)file_byte_count, (size_t)file_byte_count,
                             MREMAP_MAYMOVE | MREMAP_FIXED, file);
        if (moved != MAP_FAILED) {
            return;
        }
        munmap(memory, (size_t)file_byte_count);
    }
    // There was no room for both: what was lent is lost.
    mmap(file, (size_t)file_byte_count, PROT_READ | PROT_WRITE, kind | MAP_FIXED, -1, 0);
}

// Gives the child pages of its own for the numbers and for what calls look at.
static void leave_pages(void) {
    mmap(cwinnow_numbers, cwinnow_recorder_unit, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    cwinnow_process_delivery = kept_delivery;
    cwinnow_delivery_forget_parent();
}

void cwinnow_recorder_end(void) {
    if (cwinnow_recorder_number() != 0) {
        __atomic_store_n(&number, 0, __ATOMIC_RELEASE);
        if (owner == getpid()) {
            unlink(path);
        }
    }
}

void cwinnow_recorder_forget_parent(void) {
    if (file == NULL || is_left) {
        return;
    }
    leave_file();
    leave_pages();
    cwinnow_recorder_forget_child();
    is_left = true;
    __atomic_store_n(&number, 0, __ATOMIC_RELEASE);
}
