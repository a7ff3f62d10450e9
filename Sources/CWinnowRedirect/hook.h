// SPDX-License-Identifier: Apache-2.0

/// What the hooks share: the way into a hook and out of it, and the hooks themselves.

#ifndef CWINNOW_HOOK_H
#define CWINNOW_HOOK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "CWinnowPrinted.h"
#include "real.h"

#define REAL(name) cwinnow_real_functions.name##_function
/// The frame of the hook, whose return address is the code that prints.
#define FRAME __builtin_frame_address(0)

/// The number of the descriptor that a stream is for; 0 where it is none of ours to look at.
int32_t cwinnow_hook_stream(const FILE *stream);
/// The same for a descriptor.
int32_t cwinnow_hook_descriptor(int descriptor);

/// Begins a hook: looks what is to be done with what it prints. Returns false where it is printed as
/// it would be without us; else `cwinnow_hook_end` follows.
bool cwinnow_hook_begin(int32_t stream, const void *frame, cwinnow_printed *printed);
/// Takes bytes within a hook that was begun, any number of times. Returns false where they could
/// not be taken, and so are to be printed.
bool cwinnow_hook_take(
    cwinnow_printed printed, cwinnow_line_way way, const char *bytes, size_t size);
/// The same for parts, between which no line is handed over.
bool cwinnow_hook_take_parts(
    cwinnow_printed printed, cwinnow_line_way way, const struct iovec *parts, int count);
/// Ends a hook that was begun.
void cwinnow_hook_end(void);
/// All of it. Returns whether the bytes were taken.
bool cwinnow_hook_all(
    int32_t stream, cwinnow_line_way way, const char *bytes, size_t size, const void *frame);

/// Writes all of the bytes, and waits for who reads them; false, with errno, where they cannot be
/// written. No SIGPIPE reaches the program.
bool cwinnow_hook_write(int descriptor, const char *bytes, size_t size);

/// Takes the lock of stdio's stream of a number, and waits for it up to 0.1 s. Returns the stream; NULL
/// where the lock could not be had.
FILE *cwinnow_stream_lock(int32_t stream);
/// The same for both streams, at their numbers; then gives back what was had.
void cwinnow_streams_lock(FILE *locked[3]);
void cwinnow_streams_unlock(FILE *const locked[3]);
/// Notes that the worker has printed to where nobody reads any more: brokenpipe.c.
void cwinnow_pipe_note_broken(void);
/// Whether a write to where a stream leads would not wait.
bool cwinnow_stream_is_ready(int32_t stream);

/// The hook of fwrite(3) for the Swift runtime, which takes what it writes to stdout only.
size_t cwinnow_hook_fwrite_of_print(const void *bytes, size_t size, size_t count, FILE *stream);

/// Makes what says whether the hooks do something. Once, before they are put in place.
void cwinnow_hooks_prepare(void);

/// Keeps other threads from looking at the tables while the process forks.
void cwinnow_tables_before_fork(void);
/// Ends that.
void cwinnow_tables_after_fork(bool is_child);

// The hooks of system calls: writes.c.

ssize_t cwinnow_hook_of_write(int descriptor, const void *bytes, size_t size);
ssize_t cwinnow_hook_of_writev(int descriptor, const struct iovec *parts, int count);

// The hooks that format: formatted.c.

int cwinnow_hook_vfprintf(FILE *stream, const char *format, va_list arguments);
int cwinnow_hook_vprintf(const char *format, va_list arguments);
int cwinnow_hook_vdprintf(int descriptor, const char *format, va_list arguments);
int cwinnow_hook_printf(const char *format, ...);
int cwinnow_hook_fprintf(FILE *stream, const char *format, ...);
int cwinnow_hook_dprintf(int descriptor, const char *format, ...);
// What the headers make of them with -D_FORTIFY_SOURCE.
int cwinnow_hook_vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);
int cwinnow_hook_vprintf_chk(int flag, const char *format, va_list arguments);
int cwinnow_hook_vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments);
int cwinnow_hook_printf_chk(int flag, const char *format, ...);
int cwinnow_hook_fprintf_chk(FILE *stream, int flag, const char *format, ...);
int cwinnow_hook_dprintf_chk(int descriptor, int flag, const char *format, ...);
// Messages of libc's making.
void cwinnow_hook_perror(const char *prefix);
void cwinnow_hook_psignal(int number, const char *prefix);
void cwinnow_hook_warn(const char *format, ...);
void cwinnow_hook_warnx(const char *format, ...);
void cwinnow_hook_vwarn(const char *format, va_list given);
void cwinnow_hook_vwarnx(const char *format, va_list given);
void cwinnow_hook_error(int status, int number, const char *format, ...);
void cwinnow_hook_error_at_line(
    int status, int number, const char *file, unsigned line, const char *format, ...);

#endif
