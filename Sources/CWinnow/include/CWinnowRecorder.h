// SPDX-License-Identifier: Apache-2.0

/// The file of a recorder: what of a process's log outlives the process.
///
/// This is the layout, which the process and whoever reads the file share, and what the process does with it. All
/// numbers are those of the machine. The file lies in memory, on a tmpfs, and the process has mapped all of it: what is
/// written there needs no system call, and is there when the process has been killed.
///
/// The process holds a lock on the file, flock(2), which belongs to the mapping: it needs no descriptor, which the
/// program could close, and the kernel gives it up with the process, however that ends. So whoever gets the lock knows
/// that the process is dead.

#ifndef CWINNOW_RECORDER_H
#define CWINNOW_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWinnowNumbers.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwinnow_ring;

/// What the file begins with.
#define CWINNOW_RECORDER_MAGIC "winnowRF"

/// The version of this layout; nobody reads another.
#define CWINNOW_RECORDER_VERSION 1u

/// What the name of the file ends with.
#define CWINNOW_RECORDER_SUFFIX ".winnow"

enum {
    /// How many regions a file has at most.
    cwinnow_recorder_region_capacity = 2048,
    /// Where their table and the first of them begin, in bytes from the beginning of the file.
    cwinnow_recorder_table_offset = 4 * 1024,
    cwinnow_recorder_regions_offset = 64 * 1024,
    /// Where the page of `cwinnow_recorder_state` begins, and that of `cwinnow_numbers`.
    cwinnow_recorder_state_offset = 56 * 1024,
    cwinnow_recorder_numbers_offset = 60 * 1024,
    /// The least bytes of a file, and what its size and those of regions are a multiple of.
    cwinnow_recorder_least_byte_count = 1024 * 1024,
    cwinnow_recorder_unit = 4 * 1024,
    /// The bytes of a region of facts.
    cwinnow_recorder_facts_byte_count = 16 * 1024,
    /// The bytes of a path that are kept, and of an identifier.
    cwinnow_recorder_path_capacity = 512,
    cwinnow_recorder_identifier_capacity = 212,
    /// For how many sinks it is noted what was recovered.
    cwinnow_recorder_recovered_capacity = 64,
};

/// The beginning of the file.
typedef struct cwinnow_recorder_header {
    /// Written last: before, it is no such file.
    uint8_t magic[8];
    uint32_t version;
    /// The identity of the run; 0 until the process has logged.
    uint32_t run;
    uint64_t byte_count;
    /// When the process began to record, in nanoseconds since 1970.
    uint64_t began;
    /// Where the process has mapped the file.
    uint64_t address;
    /// The process, as it knows itself.
    int32_t process_id;
    uint32_t identifier_length;
    /// In UTF-8, cut to what has room, not terminated.
    uint8_t identifier[cwinnow_recorder_identifier_capacity];
} cwinnow_recorder_header;

/// What a region holds.
enum {
    cwinnow_region_free = 0,
    /// Facts, one behind the other.
    cwinnow_region_facts = 1,
    /// The ring of a thread, and that of its calls within calls.
    cwinnow_region_ring = 2,
    cwinnow_region_nested_ring = 3,
    /// What waits for a sink.
    cwinnow_region_queue = 4,
    /// The records that the worker has taken out of the rings.
    cwinnow_region_claimed = 5,
};

/// A part of the file. Its kind is written last.
typedef struct cwinnow_recorder_region {
    uint64_t offset;
    uint64_t byte_count;
    uint32_t kind;
    uint32_t reserved;
} cwinnow_recorder_region;

/// Records that a sink has lost and was not told of, by the raw values of their levels.
typedef struct cwinnow_recorder_losses {
    uint64_t count[8];
    /// Their first and last numbers among those of the level.
    uint64_t first[8], last[8];
    /// Their first and last numbers of all, and when the first and the last were logged, in nanoseconds since 1970.
    uint64_t first_of_all, last_of_all, from, until;
} cwinnow_recorder_losses;

/// The beginning of a queue's region; its memory follows at `cwinnow_recorder_unit`, with as many bytes as fit. A
/// position counts all bytes that were ever taken. At each of a piece is a word with its bytes, itself included, and the
/// mark of a filler in bit 63, which has no record; then comes the record: its header, in which literals and the category
/// are addresses, and its arguments. What lies between the two positions waits.
typedef struct cwinnow_recorder_queue {
    uint64_t head, tail;
    /// Where in the memory a piece lies that somebody reads, though it may have been given back, and its bytes; 0 for none.
    /// For the child of a fork.
    uint64_t lent, lent_byte_count;
    /// How often the losses were written; they are at the place of the remainder by two.
    uint64_t losses_count;
    cwinnow_recorder_losses losses[2];
    /// The name of the sink in UTF-8, not terminated.
    uint32_t name_length;
    uint32_t reserved;
    uint8_t name[cwinnow_recorder_path_capacity];
} cwinnow_recorder_queue;

/// The beginning of the region of the records that the worker has taken out of the rings and that have numbers, or are
/// about to get them; their places follow at `cwinnow_recorder_unit`, one every `stride` bytes. Each has the header of
/// the record, with the time and the numbers, and behind it the address of its arguments.
typedef struct cwinnow_recorder_claimed {
    uint64_t stride;
    /// How many places hold records, and how many of them have numbers.
    uint64_t count, numbered;
    /// The numbers in front of those that the others get, in their order: of each level, and of all.
    uint64_t before[cwinnow_numbers_count];
    uint64_t padding[4];
} cwinnow_recorder_claimed;

/// What turns stamps into times: see `StampClock`.
typedef struct cwinnow_recorder_clock {
    /// One moment by both clocks, as in `cwinnow_moment`, and the rate.
    uint64_t stamp, realtime;
    double nanoseconds_per_tick;
    uint64_t reserved;
} cwinnow_recorder_clock;

/// What the process knows of itself, and what of the file was recovered.
typedef struct cwinnow_recorder_state {
    /// Whether stamps are ticks; else they are nanoseconds since 1970.
    uint64_t stamp_is_counter;
    /// How often the clock was written; it is at the place of the remainder by two.
    uint64_t clock_count;
    cwinnow_recorder_clock clock[2];
    /// For each sink of who recovers: in the upper half what tells it from others, in the lower one how many of the records
    /// it has, in the order in which they are delivered.
    uint64_t recovered[cwinnow_recorder_recovered_capacity];
} cwinnow_recorder_state;

/// What is known of the process, so that others can read its records.
enum {
    /// A category: the address of its cell, then its name.
    cwinnow_recorder_category = 1,
    /// A program or a library: `cwinnow_recorder_image`, then its path.
    cwinnow_recorder_loaded = 2,
};

/// The beginning of a fact; its bytes follow, filled up to eight.
typedef struct cwinnow_recorder_fact {
    uint32_t kind;
    uint32_t byte_count;
} cwinnow_recorder_fact;

/// A part of a file as it lies in memory.
typedef struct cwinnow_recorder_segment {
    uint64_t start, end;
    /// Where it begins in the file.
    uint64_t offset;
} cwinnow_recorder_segment;

enum {
    /// How many images are noted at most.
    cwinnow_recorder_image_capacity = 512,
    cwinnow_recorder_segment_capacity = 6,
    cwinnow_recorder_build_id_capacity = 32,
};

/// A program or a library that the process has loaded.
///
/// Where it was linked without a build id, the size and the time of its file tell it from another that has its path by
/// now.
typedef struct cwinnow_recorder_image {
    uint64_t file_byte_count;
    /// When the file was changed last, in nanoseconds since 1970.
    uint64_t modified;
    /// Where in the file its build id lies, and how many bytes it has; 0 bytes for none.
    uint64_t build_id_offset;
    uint32_t build_id_length;
    uint32_t segment_count;
    uint8_t build_id[cwinnow_recorder_build_id_capacity];
    cwinnow_recorder_segment segments[cwinnow_recorder_segment_capacity];
} cwinnow_recorder_image;

/// What is wrong with a folder where no file can be made, besides -errno: it is on no tmpfs.
#define CWINNOW_RECORDER_NO_MEMORY (-4096)

/// Makes the file of this process in a folder, with all of its bytes, and begins to record: once in a process, and once
/// more in the child of a fork.
///
/// - Parameters:
///   - folder: Its path.
///   - name: The file's name, which must not exist.
///   - header: What it begins with, but for what the recorder knows.
///   - byte_count: Its size: rounded up to `cwinnow_recorder_unit`, and at least
///     `cwinnow_recorder_least_byte_count`.
/// - Returns: 0; -errno, such as -ENOSPC, -EBUSY where the process has had a file; or `CWINNOW_RECORDER_NO_MEMORY`.
///
/// One thread at a time, as for all of these, AS-Unsafe.
int32_t cwinnow_recorder_begin(
    const char *_Nonnull folder, const char *_Nonnull name,
    const cwinnow_recorder_header *_Nonnull header, uint64_t byte_count);

/// Returns the number of the file that this process records in, of all that it ever has; 0 where it does not. MT-Safe,
/// AS-Safe.
uint32_t cwinnow_recorder_number(void);

/// Whether private values are masked where they are logged, as this process records or has recorded.
// Hidden: see `cwinnow_process_delivery`.
extern uint32_t cwinnow_recorder_masks_values __attribute__((visibility("hidden")));
static inline bool cwinnow_recorder_masks(void) {
    return __atomic_load_n(&cwinnow_recorder_masks_values, __ATOMIC_RELAXED) != 0;
}

/// Has private values be masked from now on, for good. MT-Safe, AS-Safe.
void cwinnow_recorder_mask(void);

/// Writes the identity of the run. MT-Safe, AS-Safe.
void cwinnow_recorder_set_run(uint32_t run);

/// Takes a region, of which the first `cwinnow_recorder_unit` is zero; NULL where there is no room, or this process does
/// not record.
void *_Nullable cwinnow_recorder_take(uint32_t kind, uint64_t byte_count);

/// Returns how many bytes regions may still take. MT-Safe where nobody takes one.
uint64_t cwinnow_recorder_room(void);

/// Returns the size of the file; 0 where this process does not record. MT-Safe, AS-Safe.
uint64_t cwinnow_recorder_byte_count(void);

/// Writes what turns stamps into times. For the worker.
void cwinnow_recorder_show_clock(uint64_t stamp, uint64_t realtime, double nanoseconds_per_tick);

/// Returns where an identifier goes: see `cwinnow_recorder_name_of_queue`. MT-Safe, AS-Safe.
static inline uint8_t *_Nonnull
cwinnow_recorder_identifier(cwinnow_recorder_header *_Nonnull header) {
    return header->identifier;
}

/// Shows that so many places hold records, the last of which are about to get numbers behind those that were given.
/// For the worker.
static inline void
cwinnow_recorder_announce_claimed(cwinnow_recorder_claimed *_Nonnull claimed, uint64_t count) {
    for (uint8_t kind = 0; kind < cwinnow_numbers_count; kind++) {
        claimed->before[kind] = cwinnow_numbers_last(kind);
    }
    __atomic_store_n(&claimed->count, count, __ATOMIC_RELEASE);
}

/// Shows the number of a kind in front of those that were given. For the worker.
static inline void cwinnow_recorder_show_before(
    cwinnow_recorder_claimed *_Nonnull claimed, uint8_t kind, uint64_t number) {
    __atomic_store_n(&claimed->before[kind], number, __ATOMIC_RELEASE);
}

/// Shows how many places hold records, and how many of them have numbers. For the worker.
static inline void cwinnow_recorder_show_claimed(
    cwinnow_recorder_claimed *_Nonnull claimed, uint64_t count, uint64_t numbered) {
    // In this order: who reads it takes no more for numbered than there are.
    __atomic_store_n(&claimed->count, count, __ATOMIC_RELEASE);
    __atomic_store_n(&claimed->numbered, numbered, __ATOMIC_RELEASE);
}

/// Returns where the name of a queue's sink goes: Swift would make a type of the array at run time. MT-Safe, AS-Safe.
static inline uint8_t *_Nonnull
cwinnow_recorder_name_of_queue(cwinnow_recorder_queue *_Nonnull queue) {
    return queue->name;
}

/// Shows where the records of a queue begin and end, which are whole. MT-Safe for one writer, AS-Safe.
static inline void
cwinnow_recorder_show_queue(cwinnow_recorder_queue *_Nonnull queue, uint64_t head, uint64_t tail) {
    // Who reads it is no other thread: the process is dead then. So the order of the stores is the compiler's.
    __atomic_store_n(&queue->head, head, __ATOMIC_RELEASE);
    __atomic_store_n(&queue->tail, tail, __ATOMIC_RELEASE);
}

/// Shows where in a queue's memory a piece lies that is lent, which begins with its word; NULL for none. MT-Safe for one
/// writer, AS-Safe.
static inline void cwinnow_recorder_show_loan(
    cwinnow_recorder_queue *_Nonnull queue, const void *_Nullable piece, uint64_t byte_count) {
    queue->lent_byte_count = 0;
    queue->lent = piece == NULL ? 0 : (uint64_t)((const uint8_t *)piece - (const uint8_t *)queue);
    queue->lent_byte_count = piece == NULL ? 0 : byte_count;
}

/// Writes of losses those of a level. For who shows them next.
static inline void cwinnow_recorder_set_loss(
    cwinnow_recorder_losses *_Nonnull losses, uint8_t level, uint64_t count, uint64_t first,
    uint64_t last) {
    losses->count[level & 7] = count;
    losses->first[level & 7] = first;
    losses->last[level & 7] = last;
}

/// Shows the losses of which a queue's sink was not told. MT-Safe for one writer, AS-Safe.
static inline void cwinnow_recorder_show_losses(
    cwinnow_recorder_queue *_Nonnull queue, const cwinnow_recorder_losses *_Nonnull losses) {
    // In the place of the older ones, which are those that count afterwards.
    uint64_t count = queue->losses_count + 1;
    queue->losses[count % 2] = *losses;
    __atomic_store_n(&queue->losses_count, count, __ATOMIC_RELEASE);
}

/// Gives a region back; false where the address is none of one.
bool cwinnow_recorder_give_back(const void *_Nonnull region);

/// Whether an address lies in the file. MT-Safe, AS-Safe.
bool cwinnow_recorder_holds(const void *_Nonnull address);

/// Notes a category; false where there is no room.
bool cwinnow_recorder_note_category(
    const void *_Nonnull cell, const uint8_t *_Nullable name, size_t length);

/// Notes the program and the libraries that have been loaded since it was called last; false where there is no room
/// for one. Where nothing was, it looks only at a number.
bool cwinnow_recorder_note_images(void);

/// Ends the recording, and removes the file. The memory stays where it is, for who still uses it.
void cwinnow_recorder_end(void);

/// Notes what the child of a fork needs of the file: of the ring of the thread that forks, and of its ring for calls within
/// calls; NULL for none. Whatever the parent writes to them afterwards is none of the child's.
void cwinnow_recorder_keep_for_child(
    const struct cwinnow_ring *_Nullable ring, const struct cwinnow_ring *_Nullable nested);

/// Forgets what was noted for a child: in the parent.
void cwinnow_recorder_forget_child(void);

/// Gives the child of a fork memory of its own in the place of the file: zero, but for the pieces of queues that are lent,
/// and what was noted for it. The child does not record. AS-Safe.
void cwinnow_recorder_forget_parent(void);

#ifdef __cplusplus
}
#endif

#endif
