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

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The bytes that every record keeps for its header, in front of its arguments.
#define CWINNOW_HEADER_BYTES 80

typedef struct cwinnow_cursor {
    /// Where the arguments of the open log call begin.
    uint8_t *_Nullable start;
    /// The end of the buffer that `start` points into.
    uint8_t *_Nullable limit;
    /// Counts up with every log call of this thread: odd while the call waits for its message, even
    /// when the message has taken the cursor. Bits 48 and up differ from thread to thread.
    uint64_t token;
} cwinnow_cursor;

extern __thread cwinnow_cursor cwinnow_thread_cursor
    __attribute__((tls_model("initial-exec")));

/// Arms the cursor and returns the token of the call, which is odd. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline uint64_t
cwinnow_cursor_arm(uint8_t *_Nonnull start) {
    cwinnow_thread_cursor.start = start;
    return cwinnow_thread_cursor.token = (cwinnow_thread_cursor.token + 2) | 1;
}

/// Returns the token of the thread's latest log call. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline uint64_t cwinnow_cursor_token(void) {
    return cwinnow_thread_cursor.token;
}

/// Disarms an armed cursor; returns where the arguments begin. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline uint8_t *_Nullable cwinnow_cursor_take(void) {
    cwinnow_thread_cursor.token += 1;
    return cwinnow_thread_cursor.start;
}

/// Disarms the cursor, whether or not it is armed. MT-Safe, AS-Unsafe.
static inline void cwinnow_cursor_disarm(void) {
    cwinnow_thread_cursor.token = (cwinnow_thread_cursor.token + 1) & ~UINT64_C(1);
}

/// Returns where the arguments of the thread's open log call begin. MT-Safe, AS-Safe.
static inline uint8_t *_Nullable cwinnow_cursor_start(void) {
    return cwinnow_thread_cursor.start;
}

/// Writes the length and the bytes of a text, padded to words, to the position, which lies in the
/// buffer of the thread's open log call; returns the end, or NULL where the text and so many bytes
/// behind it do not fit. Short texts are copied without a call. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline uint8_t *_Nullable cwinnow_cursor_put(
    void *_Nonnull position, const uint8_t *_Nonnull text, size_t count, size_t reserve) {
    uint8_t *bytes = (uint8_t *)position + sizeof(uint64_t);
    if (cwinnow_thread_cursor.limit == NULL ||
        count + reserve + 2 * sizeof(uint64_t) > (size_t)(cwinnow_thread_cursor.limit - bytes)) {
        return NULL;
    }
    *(uint64_t *)position = count;
    if (count - 16 <= 48) {
        if (count > 32) {
            memcpy(bytes + 16, text + 16, 16);
            memcpy(bytes + count - 32, text + count - 32, 16);
        }
        memcpy(bytes, text, 16);
        memcpy(bytes + count - 16, text + count - 16, 16);
    } else {
        memcpy(bytes, text, count);
    }
    return bytes + ((count + 7) & ~(size_t)7);
}

/// Returns the end of the buffer of the thread's open log call. MT-Safe, AS-Safe.
static inline uint8_t *_Nullable cwinnow_cursor_limit(void) {
    return cwinnow_thread_cursor.limit;
}

/// Returns the header of the thread's open log call, in front of its arguments. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline void *_Nonnull cwinnow_cursor_header(void) {
    return cwinnow_thread_cursor.start - CWINNOW_HEADER_BYTES;
}

/// Sets the buffer of the open log call: of a new one, or of the outer one when a nested one ends.
/// MT-Safe, AS-Unsafe.
static inline void
cwinnow_cursor_set_buffer(uint8_t *_Nullable start, uint8_t *_Nullable limit) {
    cwinnow_thread_cursor.start = start;
    cwinnow_thread_cursor.limit = limit;
}

/// Sets the token that the next call counts up. MT-Safe, AS-Unsafe.
static inline void cwinnow_cursor_seed(uint64_t token) {
    cwinnow_thread_cursor.token = token & ~UINT64_C(1);
}

#endif
