// SPDX-License-Identifier: Apache-2.0

/// What becomes of the bytes that a thread prints: they are judged by their origin, put together to
/// lines for each thread and stream, and put into the queue.
///
/// All of it runs on the thread that prints, which may hold the lock of a stdio stream or any other:
/// nothing here waits for more than the copy of a line, and no code of a program's is called.

#ifndef CWINNOW_PRINTED_H
#define CWINNOW_PRINTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "CWinnowLines.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is decided of an origin alone.
typedef enum cwinnow_verdict {
    CWINNOW_VERDICT_NONE = 0,
    /// The bytes go where they would without a redirect.
    CWINNOW_VERDICT_PASS = 1,
    CWINNOW_VERDICT_DROP = 2,
    /// The bytes go into the queue.
    CWINNOW_VERDICT_TAKE = 3,
} cwinnow_verdict;

/// What is asked of the floor above, on the thread that prints: it may neither print nor wait.
typedef struct cwinnow_printed_judge {
    /// What is decided of an origin on a stream. Once for each, with a lock held.
    cwinnow_verdict (*_Nonnull verdict)(uint32_t origin, int32_t stream);
    /// Gives bytes to the scope that the running task is in; false where it is in none.
    bool (*_Nonnull scope)(
        int32_t stream, const char *_Nullable bytes, size_t size, uint32_t origin);
} cwinnow_printed_judge;

/// Makes what is shared, once; false where there is no memory. AS-Unsafe heap.
bool cwinnow_printed_prepare(cwinnow_printed_judge judge);

/// Has the verdicts that were decided be decided again: the rules have changed. MT-Safe, AS-Unsafe
/// lock.
void cwinnow_printed_reset_verdicts(void);

/// Counts the scopes that are open; while there is none, none is asked for. MT-Safe, AS-Safe.
void cwinnow_printed_add_scopes(int32_t count);

/// Who prints, where, and what is to be done with it.
typedef struct cwinnow_printed {
    int32_t stream;
    uint32_t origin;
    cwinnow_verdict verdict;
    /// Whether the bytes are a scope's, whatever the verdict.
    bool is_scoped;
} cwinnow_printed;

/// Looks who called the function whose frame it is. Keeps errno. MT-Safe, AS-Unsafe lock.
cwinnow_printed cwinnow_printed_look(int32_t stream, const void *_Nonnull frame);

/// Takes the parts of bytes whose verdict is not to pass. Returns false where they could not be kept,
/// and so are to be printed. MT-Safe, AS-Unsafe lock.
bool cwinnow_printed_take(cwinnow_printed printed, cwinnow_line_way way,
    const struct iovec *_Nonnull parts, int count);

/// Puts the lines into the queue that nothing was added to for the time. Returns whether some
/// thread still has one. For one thread at a time.
bool cwinnow_printed_flush(uint64_t nanoseconds);

/// Whether some thread has the beginning of a line. MT-Safe, AS-Safe.
bool cwinnow_printed_is_partial(void);

/// The calls of an origin, of which a line may take more than one, that were dropped unread.
/// MT-Safe, AS-Safe.
uint64_t cwinnow_printed_dropped(uint32_t origin);
/// The calls of an origin that were passed on unread. MT-Safe, AS-Safe.
uint64_t cwinnow_printed_passed(uint32_t origin);

/// Forgets what the parent's threads were about: in the child of a fork. No lock that a hook takes is
/// held over a fork, as who prints may hold any other.
void cwinnow_printed_after_fork(void);

/// Puts bytes together to lines and hands each to a function.
typedef struct cwinnow_assembly {
    char *_Nullable bytes;
    size_t size, capacity;
    /// When the last byte came, by the monotonic clock.
    uint64_t touched;
} cwinnow_assembly;

/// Takes a piece of a line: its bytes, valid for the call, and what it ends with.
typedef void (*cwinnow_assembly_sink)(
    void *_Nullable context, const char *_Nullable bytes, size_t size, cwinnow_line_end end);

/// Adds bytes to a line, and hands over each line that they complete.
///
/// Returns the number of bytes that were taken: all, unless memory has run out.
size_t cwinnow_assembly_add(cwinnow_assembly *_Nonnull assembly, const char *_Nullable bytes,
    size_t size, cwinnow_assembly_sink _Nonnull sink, void *_Nullable context);

/// Hands over the beginning of a line, where there is one.
void cwinnow_assembly_end(cwinnow_assembly *_Nonnull assembly, cwinnow_line_end end,
    cwinnow_assembly_sink _Nonnull sink, void *_Nullable context);

/// When a line was printed that is handed over just now, in nanoseconds since 1970: that is now where a
/// byte has ended it, and else when the last one came, to some milliseconds. MT-Safe, AS-Safe.
uint64_t cwinnow_assembly_time(const cwinnow_assembly *_Nonnull assembly, cwinnow_line_end end);

/// Frees the memory.
void cwinnow_assembly_free(cwinnow_assembly *_Nonnull assembly);

#ifdef __cplusplus
}
#endif

#endif
