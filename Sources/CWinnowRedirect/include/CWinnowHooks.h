// SPDX-License-Identifier: Apache-2.0

/// The hooks: functions of ours in place of those by which programs print, in the tables through
/// which every loaded object calls functions of others (the global offset table, GOT).
///
/// No descriptor, no buffer and no terminal changes. What libc does within itself is not seen, nor
/// are calls by addresses that were looked up with dlsym(3).

#ifndef CWINNOW_HOOKS_H
#define CWINNOW_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWinnowLines.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Puts the hooks into the tables of all objects that are loaded; they stay there. Returns the
/// number of entries that lead to them, 0 where the program has no such tables, as one that is
/// linked statically. MT-Safe, AS-Unsafe lock.
uint32_t cwinnow_hooks_install(void);

/// Goes on from a position, at first 0, to the next hooked function that the program itself defines,
/// and returns its name; NULL at the end.
///
/// What the program defines, its own code calls without a table, so that no hook sees it: the link
/// editor has put the address into the call. The sanitizers define most of what prints, as do static
/// builds of libc. Calls from shared objects are seen as ever. MT-Safe, AS-Unsafe lock.
const char *_Nullable cwinnow_hooks_defined_by_program(size_t *_Nonnull position);

/// Has the hooks do something, or nothing but call what they stand for, from between two lines on:
/// with the locks of the streams, which are waited for up to 0.1 s each. MT-Safe, AS-Unsafe lock.
void cwinnow_hooks_set_active(bool is_active);

/// Has this thread print as if there were no hooks, and returns whether it did before: while it holds
/// what a hook waits for, a signal's handler may print on it. MT-Safe, AS-Safe.
bool cwinnow_hooks_suspend(void);
/// Ends that, given what the former returned. MT-Safe, AS-Safe.
void cwinnow_hooks_resume(bool was_suspended);

/// Has the beginnings of lines be put into the queue: from between two lines on, as
/// `cwinnow_hooks_set_active` does. MT-Safe, AS-Unsafe lock.
void cwinnow_hooks_end_lines(void);

/// Whether the hooks do something. MT-Safe, AS-Safe.
bool cwinnow_hooks_are_active(void);

/// Puts the hooks into what was loaded since, and again where the loader has resolved a name at the
/// same time as we put a hook in its place. Cheap where nothing was. MT-Safe, AS-Unsafe lock.
void cwinnow_hooks_renew(bool is_forced);

/// Whether the entries may have to be renewed: an object was loaded. MT-Safe, AS-Safe.
bool cwinnow_hooks_are_stale(void);

/// Whether the last look has left an object alone because another thread was just loading it: the
/// tables are to be looked at again shortly. MT-Safe, AS-Safe.
bool cwinnow_hooks_are_waiting(void);

/// Has the objects that were left alone stay so until others are loaded. Returns the name of one,
/// the last part of its path, which is valid until the next call; NULL where it is that of last
/// time. For one thread; AS-Unsafe lock.
const char *_Nullable cwinnow_hooks_give_up_waiting(void);

/// Notes that the program loads an object, and wakes the thread that takes lines. MT-Safe.
void cwinnow_hooks_note_load(void);
/// Whether one was loaded since it was asked last. MT-Safe, AS-Safe.
bool cwinnow_hooks_take_load(void);

/// Prints bytes as if there were no hooks: to stdio's stream of the number, so that they come between
/// two lines of others, or where they came by write(2), or it is not sound, straight to the descriptor.
/// Returns false where they cannot be written. MT-Safe, AS-Unsafe lock.
bool cwinnow_hooks_print(
    int32_t stream, const uint8_t *_Nullable bytes, size_t size, cwinnow_line_way way);

/// How many lines since it was asked last `cwinnow_hooks_print` has left to stdio, which could not write
/// them then: no space is left, or the descriptor is closed. One that was written in part counts, as may
/// some that were written before the rest failed. MT-Safe, AS-Safe.
uint64_t cwinnow_hooks_take_failed(void);

/// Has stdio write what it keeps of a stream. MT-Safe, AS-Unsafe lock.
void cwinnow_hooks_flush(int32_t stream);

/// Has stdio write what `cwinnow_hooks_print` has left to it, unless that waits for who reads it now:
/// false then. MT-Safe, AS-Unsafe lock.
bool cwinnow_hooks_flush_printed(int32_t stream);

/// Has stdio write what `cwinnow_hooks_print` has left to it of stdout before a line on the stream is
/// printed past stdio, or without its buffer: who printed both may have flushed between them. Waits for
/// who reads it only where the line does. MT-Safe, AS-Unsafe lock.
void cwinnow_hooks_flush_before(int32_t stream);

/// Raises SIGPIPE in the program, as its own print would have, where `cwinnow_hooks_print` or
/// `cwinnow_hooks_flush_printed` has found since the last call that nobody reads any more. For the
/// thread that takes lines: what it has logged is delivered before the process ends.
void cwinnow_hooks_raise_broken_pipe(void);

/// Whether what `cwinnow_hooks_print` prints to a stream would not wait now for who reads it. MT-Safe,
/// AS-Safe.
bool cwinnow_hooks_can_print(int32_t stream);

/// Prints bytes straight to where a stream leads, past stdio, and waits for who reads it up to the
/// time of the monotonic clock. Returns whether all are written.
bool cwinnow_hooks_print_until(
    int32_t stream, const uint8_t *_Nullable bytes, size_t size, uint64_t deadline);

/// Has the thread that forks print without hooks until the fork is done, and no other thread look at
/// the tables meanwhile, which takes a lock of the loader's.
void cwinnow_hooks_before_fork(void);
/// Ends that; in the child the hooks do nothing.
void cwinnow_hooks_after_fork(bool is_child);

#ifdef __cplusplus
}
#endif

#endif
