// SPDX-License-Identifier: Apache-2.0

/// A list of pairs of numbers in the order of their keys: the index of a table by address.
///
/// Its memory comes from mmap(2), not from malloc(3): it is filled while a lock is held, under which
/// no code of others may run, and an allocator may be others'.

#ifndef CWINNOW_PAIRS_H
#define CWINNOW_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cwinnow_pair {
    uint32_t key;
    uint32_t value;
} cwinnow_pair;

typedef struct cwinnow_pairs {
    cwinnow_pair *list;
    size_t count;
    /// How many have room; memory is used for those that were added.
    size_t capacity;
} cwinnow_pairs;

/// Makes an empty list with room for pairs. Returns false without memory, or for no pair.
bool cwinnow_pairs_make(cwinnow_pairs *ret_pairs, size_t capacity);

/// Adds a pair at the end; what is beyond the capacity is left out.
static inline void cwinnow_pairs_add(cwinnow_pairs *pairs, uint32_t key, uint32_t value) {
    if (pairs->count < pairs->capacity) {
        pairs->list[pairs->count++] = (cwinnow_pair){key, value};
    }
}

/// Sorts by key, those of one key as they were added, and gives back what room is left. Frees the
/// list and returns false where there is no memory to sort in.
bool cwinnow_pairs_sort(cwinnow_pairs *pairs);

/// Returns how many pairs have a key up to the one given. The list is sorted.
size_t cwinnow_pairs_count_up_to(const cwinnow_pairs *pairs, uint32_t key);

/// Gives back the memory; the list is empty then.
void cwinnow_pairs_free(cwinnow_pairs *pairs);

#endif
