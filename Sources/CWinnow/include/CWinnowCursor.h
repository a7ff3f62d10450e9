// SPDX-License-Identifier: Apache-2.0

/// The thread's cursor: where the interpolation of an open log call writes its arguments.
///
/// Swift has no thread-local storage that an inlined function can reach without a call. A log call
/// arms the cursor, and the first interpolation that is evaluated takes it; one that finds it
/// disarmed writes to a buffer of its own. The token tells the message of this log call from one
/// that an earlier call left behind.
///
/// Source: hot-path study, traps 2 and 7.

#ifndef CWINNOW_CURSOR_H
#define CWINNOW_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CWinnowText.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes that a log call keeps for its own header, in front of its arguments.
#define CWINNOW_CALL_HEADER_BYTES 48

/// The bytes that stay free behind every text, for what follows and has a fixed size.
#define CWINNOW_RESERVE 4096

/// The most bytes of a text that is copied without a call.
#define CWINNOW_SHORT_TEXT 64

struct cwinnow_ring;

/// What a thread knows of its log calls, in one object, so that it is found once.
typedef struct cwinnow_cursor {
    /// Where the arguments of the open log call begin.
    uint8_t *_Nullable start;
    /// The end of the buffer that `start` points into.
    uint8_t *_Nullable limit;
    /// The last position of a short text in that buffer; NULL where it holds none.
    uint8_t *_Nullable last_of_short;
    /// Counts up by two with every log call of this thread: odd while the call waits for its
    /// message, even when the message has taken the cursor. Bits 40 and up differ from thread to
    /// thread.
    uint64_t token;
    /// The ring where the next call may write to it at once; NULL while a call is open.
    struct cwinnow_ring *_Nullable ready;
    /// The ring where the innermost open call, or the last one, took the short way to it; else NULL.
    struct cwinnow_ring *_Nullable opened;
    /// The thread's only buffer, which `start` and `limit` are of, where it has no ring; NULL from
    /// a call within a call on, until the outer one has ended.
    uint8_t *_Nullable at_once;
    /// The number of open calls that write to buffers.
    int64_t depth;
    /// Where the call that was opened last the long way returns to in its client's code.
    uintptr_t caller;
} cwinnow_cursor;

extern __thread cwinnow_cursor cwinnow_thread_cursor
    __attribute__((tls_model("initial-exec")));

/// Whether the layout of texts is known: see CWinnowText.h.
extern uint32_t cwinnow_text_layout_is_known;

/// Sets whether the layout of texts is known, for buffers from now on. MT-Safe, AS-Safe.
static inline void cwinnow_text_set_layout(bool is_known) {
    __atomic_store_n(&cwinnow_text_layout_is_known, is_known, __ATOMIC_RELAXED);
}

/// Returns what the next call arms the cursor with. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint64_t cwinnow_cursor_next(void) {
    return cwinnow_thread_cursor.token + 2;
}

/// Arms the cursor with where the arguments begin and `cwinnow_cursor_next`; returns the token of the
/// call, which is odd. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline uint64_t
cwinnow_cursor_arm(uint8_t *_Nonnull start, uint64_t next) {
    cwinnow_thread_cursor.start = start;
    return cwinnow_thread_cursor.token = next | 1;
}

/// Disarms the cursor, whether or not it is armed. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline void cwinnow_cursor_disarm(void) {
    // Volatile, so that no byte is written of what the next call reads as a word: the processor would
    // have that wait until the byte is in the cache.
    volatile uint64_t *token = &cwinnow_thread_cursor.token;
    *token &= ~UINT64_C(1);
}

/// Notes where the function returns to that calls this one. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline void cwinnow_cursor_note_caller(void) {
    cwinnow_thread_cursor.caller = (uintptr_t)__builtin_return_address(0);
}

/// Returns what was noted last on this thread. MT-Safe, AS-Safe.
static inline uintptr_t cwinnow_cursor_caller(void) {
    return cwinnow_thread_cursor.caller;
}

/// What a message takes of the cursor.
typedef struct cwinnow_cursor_taken {
    /// Where the arguments begin; NULL where the cursor was disarmed.
    void *_Nullable start;
    uint64_t token;
} cwinnow_cursor_taken;

/// Disarms the cursor and returns what it was armed with. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline cwinnow_cursor_taken cwinnow_cursor_take(void) {
    cwinnow_cursor_taken taken = {NULL, cwinnow_thread_cursor.token};
    if ((taken.token & 1) != 0) {
        cwinnow_thread_cursor.token = taken.token & ~UINT64_C(1);
        taken.start = cwinnow_thread_cursor.start;
    }
    return taken;
}

/// Returns where the arguments of the thread's open log call begin. MT-Safe, AS-Safe.
static inline uint8_t *_Nullable cwinnow_cursor_start(void) {
    return cwinnow_thread_cursor.start;
}

/// Copies the bytes of a text of up to `CWINNOW_SHORT_TEXT`, in pieces that may overlap. MT-Safe.
__attribute__((always_inline)) static inline void
cwinnow_cursor_copy_short(uint8_t *_Nonnull to, const uint8_t *_Nonnull from, size_t count) {
    if (count >= 16) {
        if (count > 32) {
            memcpy(to + 16, from + 16, 16);
            memcpy(to + count - 32, from + count - 32, 16);
        }
        memcpy(to, from, 16);
        memcpy(to + count - 16, from + count - 16, 16);
    } else if (count >= 8) {
        memcpy(to, from, 8);
        memcpy(to + count - 8, from + count - 8, 8);
    } else if (count >= 4) {
        memcpy(to, from, 4);
        memcpy(to + count - 4, from + count - 4, 4);
    } else if (count > 0) {
        to[0] = from[0];
        to[count / 2] = from[count / 2];
        to[count - 1] = from[count - 1];
    }
}

/// Writes the length and the bytes of a text, padded to words, to the position, which lies in the
/// buffer of the thread's open log call; returns the end, or NULL where the text and the reserve
/// behind it do not fit. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline uint8_t *_Nullable cwinnow_cursor_put(
    void *_Nonnull position, const uint8_t *_Nonnull text, size_t count) {
    uint8_t *bytes = (uint8_t *)position + sizeof(uint64_t);
    // Compared before they are subtracted: a position beyond the limit would leave all memory free.
    uintptr_t least = (uintptr_t)bytes + CWINNOW_RESERVE + 2 * sizeof(uint64_t);
    uintptr_t limit = (uintptr_t)cwinnow_thread_cursor.limit;
    if (limit < least || limit - least < count) {
        return NULL;
    }
    *(uint64_t *)position = count;
    memcpy(bytes, text, count);
    return bytes + ((count + 7) & ~(size_t)7);
}

/// Where a text ends, if it was written.
typedef struct cwinnow_end_of_text {
    void *_Nonnull position;
    bool is_written;
} cwinnow_end_of_text;

/// The same for a text by its words, where it has at most `CWINNOW_SHORT_TEXT` bytes and the layout of
/// texts is known; else it writes nothing. Calls nothing. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline cwinnow_end_of_text
cwinnow_cursor_put_short(void *_Nonnull position, cwinnow_text text) {
    const cwinnow_end_of_text none = {position, false};
    if ((uint8_t *)position > cwinnow_thread_cursor.last_of_short) {
        return none;
    }
    uint64_t *words = (uint64_t *)position;
    size_t count;
    if (cwinnow_text_is_small(text)) {
        count = cwinnow_text_small_count(text);
        words[1] = cwinnow_text_small_low(text);
        words[2] = cwinnow_text_small_high(text);
    } else {
        if (__builtin_expect(!cwinnow_text_is_native(text), 0)) {
            return none;
        }
        count = cwinnow_text_count(text);
        if (__builtin_expect(count > CWINNOW_SHORT_TEXT, 0)) {
            return none;
        }
        cwinnow_cursor_copy_short((uint8_t *)(words + 1), cwinnow_text_bytes(text), count);
    }
    words[0] = count;
    // A position is one of a word: so it is rounded with the bytes.
    uintptr_t end = ((uintptr_t)(words + 1) + count + 7) & ~(uintptr_t)7;
    const cwinnow_end_of_text written = {(void *)end, true};
    return written;
}

/// Returns the end of the buffer of the thread's open log call. MT-Safe, AS-Safe.
static inline uint8_t *_Nullable cwinnow_cursor_limit(void) {
    return cwinnow_thread_cursor.limit;
}

/// Returns the header of the thread's open log call, in front of its arguments. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline void *_Nonnull cwinnow_cursor_header(void) {
    return cwinnow_thread_cursor.start - CWINNOW_CALL_HEADER_BYTES;
}

/// Sets the buffer of the open log call: of a new one, or of the outer one when a nested one ends.
/// MT-Safe, AS-Unsafe.
static inline void
cwinnow_cursor_set_buffer(uint8_t *_Nullable start, uint8_t *_Nullable limit) {
    cwinnow_thread_cursor.start = start;
    cwinnow_thread_cursor.limit = limit;
    bool has_short =
        limit != NULL && __atomic_load_n(&cwinnow_text_layout_is_known, __ATOMIC_RELAXED) != 0;
    cwinnow_thread_cursor.last_of_short =
        has_short ? limit - (CWINNOW_RESERVE + CWINNOW_SHORT_TEXT + 2 * sizeof(uint64_t)) : NULL;
}

/// Returns the number of open calls that write to buffers. MT-Safe, AS-Safe.
static inline int64_t cwinnow_cursor_depth(void) {
    return cwinnow_thread_cursor.depth;
}

/// Sets that number. MT-Safe, AS-Unsafe.
static inline void cwinnow_cursor_set_depth(int64_t depth) {
    cwinnow_thread_cursor.depth = depth;
}

/// Whether a call that is opened, or that is open, is the only one of a thread without a ring.
/// MT-Safe, AS-Safe.
static inline bool cwinnow_cursor_is_alone(void) {
    return cwinnow_thread_cursor.at_once != NULL;
}

/// Sets the buffer of such a call, which is that of the cursor; NULL where there may be others.
/// MT-Safe, AS-Unsafe.
static inline void cwinnow_cursor_set_alone(uint8_t *_Nullable at_once) {
    cwinnow_thread_cursor.at_once = at_once;
}

/// Sets the token that the next call counts up. MT-Safe, AS-Unsafe.
static inline void cwinnow_cursor_seed(uint64_t token) {
    cwinnow_thread_cursor.token = token & ~UINT64_C(1);
}

#ifdef __cplusplus
}
#endif

#endif
