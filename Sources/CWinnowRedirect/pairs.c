// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "pairs.h"

#include <string.h>
#include <sys/mman.h>

#pragma GCC visibility push(protected)

/// The bits of a key by which one pass sorts, and the passes that sort by all 32.
#define DIGIT_BITS 8
#define PASSES 4
#define DIGITS (1u << DIGIT_BITS)

static cwinnow_pair *reserve(size_t count) {
    // Not accounted for: what is never touched costs nothing.
    void *memory = mmap(NULL, count * sizeof(cwinnow_pair), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

bool cwinnow_pairs_make(cwinnow_pairs *ret_pairs, size_t capacity) {
    *ret_pairs = (cwinnow_pairs){NULL, 0, 0};
    if (capacity == 0 || capacity > UINT32_MAX) {
        return false;
    }
    ret_pairs->list = reserve(capacity);
    ret_pairs->capacity = ret_pairs->list == NULL ? 0 : capacity;
    return ret_pairs->list != NULL;
}

static unsigned digit_of(uint32_t key, unsigned pass) {
    return key >> (pass * DIGIT_BITS) & (DIGITS - 1);
}

/// Moves the pairs to another place in the order of one digit.
static void sort_by_digit(
    const cwinnow_pair *from, cwinnow_pair *into, size_t count, unsigned pass) {
    size_t places[DIGITS] = {0};
    for (size_t index = 0; index < count; index++) {
        places[digit_of(from[index].key, pass)]++;
    }
    size_t place = 0;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        size_t with_digit = places[digit];
        places[digit] = place;
        place += with_digit;
    }
    for (size_t index = 0; index < count; index++) {
        into[places[digit_of(from[index].key, pass)]++] = from[index];
    }
}

// A radix sort: 141,000 symbols take a few milliseconds, and no stack, as quicksort may.
bool cwinnow_pairs_sort(cwinnow_pairs *pairs) {
    cwinnow_pair *other = pairs->count == 0 ? NULL : reserve(pairs->count);
    if (other == NULL) {
        cwinnow_pairs_free(pairs);
        return false;
    }
    for (unsigned pass = 0; pass < PASSES; pass += 2) {
        sort_by_digit(pairs->list, other, pairs->count, pass);
        sort_by_digit(other, pairs->list, pairs->count, pass + 1);
    }
    munmap(other, pairs->count * sizeof *other);
    void *shorter = mremap(pairs->list, pairs->capacity * sizeof(cwinnow_pair),
                           pairs->count * sizeof(cwinnow_pair), 0);
    if (shorter != MAP_FAILED) {
        pairs->capacity = pairs->count;
    }
    return true;
}

size_t cwinnow_pairs_count_up_to(const cwinnow_pairs *pairs, uint32_t key) {
    size_t low = 0;
    size_t high = pairs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pairs->list[middle].key <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void cwinnow_pairs_free(cwinnow_pairs *pairs) {
    if (pairs->list != NULL) {
        munmap(pairs->list, pairs->capacity * sizeof(cwinnow_pair));
    }
    *pairs = (cwinnow_pairs){NULL, 0, 0};
}
