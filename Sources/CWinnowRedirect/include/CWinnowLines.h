// SPDX-License-Identifier: Apache-2.0

/// The queue of the lines that were printed: many threads put lines in, one takes them out.
///
/// It holds a bounded number of bytes. A line that finds no room is counted and gone: the thread
/// that prints may hold any lock, that of its stream among them, and never waits here.

#ifndef CWINNOW_LINES_H
#define CWINNOW_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes that wait at most; as many again are being worked off.
#define CWINNOW_LINES_SIZE ((size_t)4 << 20)
/// The bytes of a line at most; a longer one comes in pieces.
#define CWINNOW_LINE_SIZE ((size_t)64 << 10)

/// What a line ends with.
typedef enum cwinnow_line_end {
    CWINNOW_LINE_END_NEWLINE = 0,
    /// Nothing came for a while.
    CWINNOW_LINE_END_TIMEOUT = 1,
    /// It is too long: the next line of its thread and stream goes on with it.
    CWINNOW_LINE_END_LENGTH = 2,
    /// Code of another origin printed on the same thread.
    CWINNOW_LINE_END_ORIGIN = 3,
    /// Its thread, its stream or the redirect came to an end.
    CWINNOW_LINE_END_CLOSED = 4,
} cwinnow_line_end;

/// How a line was printed.
typedef enum cwinnow_line_way {
    /// By a function of stdio(3).
    CWINNOW_LINE_WAY_STDIO = 0,
    /// By write(2) and its like.
    CWINNOW_LINE_WAY_WRITE = 1,
    /// It came through a captured descriptor.
    CWINNOW_LINE_WAY_DESCRIPTOR = 2,
} cwinnow_line_way;

/// What is known of a line; in the queue its text stands behind it.
typedef struct cwinnow_line {
    /// When its end was printed, or its last byte where nothing ended it, in nanoseconds since 1970.
    uint64_t time;
    /// The bytes of its text.
    uint32_t size;
    /// The thread that printed it, as in gettid(2); 0 where nobody knows.
    int32_t thread;
    uint16_t origin;
    /// The number of the descriptor that it was printed to: 1 or 2.
    uint8_t stream;
    /// A `cwinnow_line_end`.
    uint8_t end;
    /// A `cwinnow_line_way`.
    uint8_t way;
    uint8_t reserved;
} cwinnow_line;

/// The bytes that a line takes in the queue.
static inline size_t cwinnow_line_stride(const cwinnow_line *_Nonnull line) {
    return sizeof *line + (((size_t)line->size + 7) & ~(size_t)7);
}

/// Makes the queue, once; false where there is no memory. Before all else; AS-Unsafe heap.
bool cwinnow_lines_prepare(void);

/// Puts a line into the queue; counts it as lost, and returns false, where there is no room.
/// MT-Safe, AS-Unsafe lock.
bool cwinnow_lines_put(cwinnow_line line, const char *_Nullable text);

/// Puts a line into the queue, and waits for room up to the time. For a thread that holds no lock.
bool cwinnow_lines_put_within(
    cwinnow_line line, const char *_Nullable text, uint64_t nanoseconds);

/// Lines that lie one behind the other.
typedef struct cwinnow_lines_batch {
    const uint8_t *_Nullable start;
    size_t size;
} cwinnow_lines_batch;

/// Waits for lines and takes all that there are; empty where none came in time, 0 meaning for ever,
/// or where `cwinnow_lines_wake` ended the wait. They stay until the next call. For one thread.
cwinnow_lines_batch cwinnow_lines_take(uint64_t nanoseconds);

/// Says that the thread is about to take: what it looks at after this, to decide how long it waits,
/// is seen changed, or `cwinnow_lines_rouse` ends the wait. For the thread that takes.
void cwinnow_lines_prepare_take(void);

/// Ends the wait of the thread that takes, after a change of what it looks at before; cheap where it
/// does not wait. MT-Safe, AS-Unsafe lock.
void cwinnow_lines_rouse(void);

/// Ends the wait of the thread that takes. MT-Safe, AS-Unsafe lock.
void cwinnow_lines_wake(void);

/// The number of lines that were put, and of those that are worked off: those of the last batch are
/// when the next one is taken. MT-Safe, AS-Safe.
uint64_t cwinnow_lines_put_count(void);
uint64_t cwinnow_lines_done_count(void);

/// Waits until as many lines are worked off; false when the time has passed. MT-Safe.
bool cwinnow_lines_await(uint64_t count, uint64_t nanoseconds);

/// The number of lines that found no room on their stream, 1 or 2. MT-Safe, AS-Safe.
uint64_t cwinnow_lines_lost(int32_t stream);

/// Takes what waits, for a process that ends while the thread that takes is slow or stuck: from now
/// on that one gets nothing, and nothing is put.
cwinnow_lines_batch cwinnow_lines_seize(void);

/// Has lines be put and taken again, where the process has not ended after all. MT-Safe, AS-Unsafe
/// lock.
void cwinnow_lines_give_back(void);

/// Empties the queue: in the child of a fork.
void cwinnow_lines_after_fork(void);

#ifdef __cplusplus
}
#endif

#endif
