// SPDX-License-Identifier: Apache-2.0

/// The numbers of the process's records: one among all, and one among those of the level.
///
/// They are C's because Swift's `Atomic` has no way to count without the lock of the bus.

#ifndef CWINNOW_NUMBERS_H
#define CWINNOW_NUMBERS_H

#include <stdint.h>

#include "CWinnowOnlyThread.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The last numbers that were given: of each level, by its raw value, and of all. They lie in a page of their own, which
/// may be one of the recorder's file.
enum { cwinnow_numbers_of_all = 8, cwinnow_numbers_count };
extern uint64_t cwinnow_numbers[cwinnow_numbers_count];

/// The numbers of a record.
typedef struct cwinnow_number_pair {
    uint64_t of_all, of_level;
} cwinnow_number_pair;

/// Takes the next numbers of a level, or of all, so many of them; returns the last. MT-Safe, AS-Safe.
///
/// What the thread reads then, it reads later: such as whether another configuration is in use.
static inline uint64_t cwinnow_numbers_take(uint8_t kind, uint64_t count) {
    return __atomic_add_fetch(&cwinnow_numbers[kind], count, __ATOMIC_SEQ_CST);
}

/// Takes the numbers of one record of a level. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline cwinnow_number_pair cwinnow_numbers_next(uint8_t level) {
    cwinnow_number_pair pair;
    if (cwinnow_thread_is_only()) {
        pair.of_all = cwinnow_add_alone(&cwinnow_numbers[cwinnow_numbers_of_all], 1);
        pair.of_level = cwinnow_add_alone(&cwinnow_numbers[level], 1);
    } else {
        pair.of_all = cwinnow_numbers_take(cwinnow_numbers_of_all, 1);
        pair.of_level = cwinnow_numbers_take(level, 1);
    }
    return pair;
}

/// Returns the last number that was given. MT-Safe, AS-Safe.
static inline uint64_t cwinnow_numbers_last(uint8_t kind) {
    return __atomic_load_n(&cwinnow_numbers[kind], __ATOMIC_SEQ_CST);
}

/// Begins anew: in the child of a fork. AS-Safe.
void cwinnow_numbers_reset(void);

#ifdef __cplusplus
}
#endif

#endif
