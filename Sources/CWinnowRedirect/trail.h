// SPDX-License-Identifier: Apache-2.0

/// The walks over frames that a thread took last: who prints again from the same place is known by
/// comparing the frames with those of last time, without asking for each return address.

#ifndef CWINNOW_TRAIL_H
#define CWINNOW_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

/// The frames of a walk that is remembered, at most; `print` has five.
#define CWINNOW_TRAIL_LIMIT 8
/// The walks that a thread remembers: a `print` makes two, for its text and for the end of the line.
#define CWINNOW_TRAIL_COUNT 4

/// What marks a frame of an `async` function in the frame pointer that it saves.
/// Source: swift/docs/ABI/CallingConvention.rst, "Async"; llvm, SwiftAsyncFramePointerMode.
#define CWINNOW_ASYNC_MARK ((uintptr_t)1 << 60)

/// What a function leaves on the stack: on both processors at its frame pointer.
typedef struct cwinnow_frame_record {
    uintptr_t frame;
    uintptr_t return_address;
} cwinnow_frame_record;

/// A walk, from a frame to the return address that said whose call it is.
typedef struct cwinnow_trail {
    uintptr_t frame;
    /// The generation of what was known of return addresses.
    uint32_t generation;
    uint32_t number;
    /// 0 where nothing is remembered.
    uint32_t count;
    cwinnow_frame_record records[CWINNOW_TRAIL_LIMIT];
} cwinnow_trail;

/// The walks that this thread took last; NULL where it took none, as Winnow's own threads do.
///
/// A pointer, as little fits where a thread's variables are found at once.
extern __thread cwinnow_trail *cwinnow_trails __attribute__((tls_model("initial-exec")));

/// Counts how often what is known of return addresses was forgotten.
extern uint32_t cwinnow_sites_generation;

/// Where the walk from a frame is remembered, of those of a thread.
static inline unsigned cwinnow_trail_index(uintptr_t frame) {
    uintptr_t return_address = ((const cwinnow_frame_record *)frame)->return_address;
    return (unsigned)((frame >> 4 ^ return_address >> 3) % CWINNOW_TRAIL_COUNT);
}

/// Whether the walk from the frame is the one that is remembered.
///
/// It reads no memory that the walk has not: each frame is looked at only after the one below it has
/// turned out to lead there as it did, and a frame that is above a live one on the same stack is
/// live. The frames below the last are all compared, so that a return address which an earlier call
/// has left on the stack is not taken for one of now.
static inline bool cwinnow_trail_leads(const cwinnow_trail *trail, uintptr_t frame) {
    uint32_t generation = __atomic_load_n(&cwinnow_sites_generation, __ATOMIC_ACQUIRE);
    if (trail->frame != frame || trail->generation != generation ||
        trail->count - 1 >= CWINNOW_TRAIL_LIMIT) {
        return false;
    }
    uintptr_t at = frame;
    for (uint32_t index = 0;; index++) {
        const cwinnow_frame_record *record = (const cwinnow_frame_record *)at;
        const cwinnow_frame_record *last = &trail->records[index];
        if (record->return_address != last->return_address) {
            return false;
        }
        if (index + 1 == trail->count) {
            return true;
        }
        if (record->frame != last->frame) {
            return false;
        }
        at = last->frame & ~CWINNOW_ASYNC_MARK;
    }
}

#endif
