// SPDX-License-Identifier: Apache-2.0

/// Bytes that nobody vouches for: the files that describe a program may be cut, stripped or hostile.

#ifndef CWINNOW_BYTES_H
#define CWINNOW_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// A run of bytes; with a count of 0 it is absent, and its start says nothing.
typedef struct cwinnow_bytes {
    const uint8_t *start;
    size_t count;
} cwinnow_bytes;

/// Reads a run of bytes from its front. Once it was asked for more than there is, it has failed, is
/// at its end, and gives 0: a parser may look at that once, behind a loop that ends with the bytes.
typedef struct cwinnow_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool has_failed;
} cwinnow_reader;

/// Returns the part of a run that begins at an offset, or an absent run where it does not fit.
static inline cwinnow_bytes cwinnow_bytes_part(
    cwinnow_bytes bytes, uint64_t offset, uint64_t count) {
    if (offset > bytes.count || count > bytes.count - offset) {
        return (cwinnow_bytes){NULL, 0};
    }
    return (cwinnow_bytes){bytes.start + offset, (size_t)count};
}

/// Returns the string that begins at an offset, or NULL where none ends within the run.
static inline const char *cwinnow_bytes_string(cwinnow_bytes bytes, uint64_t offset) {
    if (offset >= bytes.count ||
        memchr(bytes.start + offset, 0, bytes.count - (size_t)offset) == NULL) {
        return NULL;
    }
    return (const char *)bytes.start + offset;
}

static inline cwinnow_reader cwinnow_reader_of(cwinnow_bytes bytes) {
    static const uint8_t none;
    const uint8_t *start = bytes.count == 0 ? &none : bytes.start;
    return (cwinnow_reader){start, start + bytes.count, false};
}

static inline size_t cwinnow_reader_rest(const cwinnow_reader *reader) {
    return (size_t)(reader->end - reader->at);
}

static inline void cwinnow_reader_fail(cwinnow_reader *reader) {
    reader->at = reader->end;
    reader->has_failed = true;
}

/// Takes bytes off the front; an absent run, and a failure, where there are fewer.
static inline cwinnow_bytes cwinnow_reader_take(cwinnow_reader *reader, uint64_t count) {
    if (count > cwinnow_reader_rest(reader)) {
        cwinnow_reader_fail(reader);
        return (cwinnow_bytes){NULL, 0};
    }
    cwinnow_bytes taken = {reader->at, (size_t)count};
    reader->at += count;
    return taken;
}

/// Reads a little-endian number of 1 to 8 bytes.
static inline uint64_t cwinnow_reader_number(cwinnow_reader *reader, unsigned size) {
    cwinnow_bytes bytes = cwinnow_reader_take(reader, size);
    uint64_t number = 0;
    for (size_t index = bytes.count; index > 0; index--) {
        number = number << 8 | bytes.start[index - 1];
    }
    return number;
}

/// Reads an unsigned LEB128 number; bits beyond the 64th are lost. Source: DWARF 5, section 7.6.
static inline uint64_t cwinnow_reader_leb(cwinnow_reader *reader) {
    uint64_t number = 0;
    unsigned shift = 0;
    while (reader->at < reader->end) {
        uint8_t byte = *reader->at++;
        if (shift < 64) {
            number |= (uint64_t)(byte & 0x7f) << shift;
        }
        shift = shift < 64 ? shift + 7 : shift;
        if ((byte & 0x80) == 0) {
            return number;
        }
    }
    cwinnow_reader_fail(reader);
    return 0;
}

/// Reads a string, which ends with NUL; NULL, and a failure, where it does not end.
static inline const char *cwinnow_reader_string(cwinnow_reader *reader) {
    const uint8_t *end = memchr(reader->at, 0, cwinnow_reader_rest(reader));
    if (end == NULL) {
        cwinnow_reader_fail(reader);
        return NULL;
    }
    const char *string = (const char *)reader->at;
    reader->at = end + 1;
    return string;
}

#endif
