// SPDX-License-Identifier: Apache-2.0

#include "CZlib.h"
#include "functions.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

struct czlib_reader {
    czlib_stream stream;
    int32_t from;
    /// Whether the input ends where a compressed part did, or begins: between two of them.
    int is_between;
    uint8_t *input;
    size_t capacity;
};

static const size_t least_capacity = 64 * 1024;

czlib_reader *czlib_reader_open(int32_t from, const uint8_t *head, size_t head_count) {
    if (!czlib_is_available() || head_count > UINT_MAX) {
        return NULL;
    }
    czlib_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    reader->from = from;
    reader->capacity = head_count > least_capacity ? head_count : least_capacity;
    reader->input = malloc(reader->capacity);
    if (reader->input == NULL
        || czlib_bound.inflateInit2_(&reader->stream, CZLIB_GZIP_WINDOW, CZLIB_VERSION,
                                     (int)sizeof reader->stream)
            != CZLIB_OK) {
        free(reader->input);
        free(reader);
        return NULL;
    }
    memcpy(reader->input, head, head_count);
    reader->stream.next_in = reader->input;
    reader->stream.avail_in = (unsigned)head_count;
    return reader;
}

// Reads more of the file where none is left; returns how much there is, 0 at its end, or -errno.
static int64_t fill(czlib_reader *reader) {
    if (reader->stream.avail_in > 0) {
        return reader->stream.avail_in;
    }
    for (;;) {
        ssize_t count = read(reader->from, reader->input, reader->capacity);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return -errno;
        }
        reader->stream.next_in = reader->input;
        reader->stream.avail_in = (unsigned)count;
        return count;
    }
}

// Goes on with the next compressed part, as gzip(1) joins files; what is none inflate() refuses.
static int begin_part(czlib_reader *reader) {
    reader->is_between = 0;
    return czlib_bound.inflateReset(&reader->stream) == CZLIB_OK ? 0 : -czlib_damaged;
}

// Takes a result of inflate(); returns 0, or -errno.
static int judge(czlib_reader *reader, int result) {
    switch (result) {
    case CZLIB_STREAM_END:
        reader->is_between = 1;
        return 0;
    case CZLIB_OK:
    case CZLIB_BUF_ERROR: // It wants more input.
        return 0;
    case CZLIB_MEM_ERROR:
        return -ENOMEM;
    default:
        return -czlib_damaged;
    }
}

int64_t czlib_reader_next(czlib_reader *reader, uint8_t *bytes, size_t count) {
    unsigned wanted = count > UINT_MAX ? UINT_MAX : (unsigned)count;
    reader->stream.next_out = bytes;
    reader->stream.avail_out = wanted;
    while (reader->stream.avail_out == wanted) {
        int64_t available = fill(reader);
        if (available < 0) {
            return available;
        }
        if (available == 0) {
            return reader->is_between ? 0 : -czlib_truncated;
        }
        int error = reader->is_between ? begin_part(reader) : 0;
        if (error == 0) {
            error = judge(reader, czlib_bound.inflate(&reader->stream, CZLIB_NO_FLUSH));
        }
        if (error != 0) {
            return error;
        }
    }
    return (int64_t)(wanted - reader->stream.avail_out);
}

void czlib_reader_close(czlib_reader *reader) {
    (void)czlib_bound.inflateEnd(&reader->stream);
    free(reader->input);
    free(reader);
}
