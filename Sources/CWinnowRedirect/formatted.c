// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "hook.h"

#pragma GCC visibility push(protected)

/// The text of a formatted line that needs no memory from the heap.
#define FORMAT_SIZE 1024

/// Formats as vsnprintf(3); a flag above 0 has libc refuse what may be an attack.
static int format_text(
    char *text, size_t size, int flag, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = flag > 0 ? __vsnprintf_chk(text, size, flag, size, format, again)
                          : vsnprintf(text, size, format, again);
    va_end(again);
    return length;
}

/// Formats a text that is longer than was room for, as long as it was then: a thread that changes the
/// arguments meanwhile may have made it longer, and what is beyond the memory is no text. Returns the
/// memory, or NULL.
static char *format_long(int *length, int flag, const char *format, va_list arguments) {
    int room = *length;
    char *bytes = malloc((size_t)room + 1);
    if (bytes != NULL) {
        int again = format_text(bytes, (size_t)room + 1, flag, format, arguments);
        *length = again < room ? again : room;
    }
    return bytes;
}

/// Formats what a hook takes; -1 where it is to go on, or cannot be formatted.
static int take_formatted(int32_t stream, cwinnow_line_way way, int flag, const char *format,
    va_list arguments, const void *frame) {
    cwinnow_printed printed;
    if (stream == 0 || !cwinnow_hook_begin(stream, frame, &printed)) {
        return -1;
    }
    char text[FORMAT_SIZE];
    char *bytes = text;
    // What Swift's runtime says last, where its code is the program's, is looked at whoever drops it.
    bool is_looked_at = stream == STDERR_FILENO && cwinnow_hooks_are_runtimes();
    bool is_dropped =
        !printed.is_scoped && printed.verdict == CWINNOW_VERDICT_DROP && !is_looked_at;
    int length = format_text(text, sizeof text, flag, format, arguments);
    if (length >= FORMAT_SIZE && !is_dropped) {
        bytes = format_long(&length, flag, format, arguments);
    }
    bool is_taken = length >= 0 && bytes != NULL &&
        cwinnow_hook_take(printed, way, bytes, (size_t)length);
    cwinnow_hook_end();
    if (bytes != text) {
        free(bytes);
    }
    if (is_taken && way == CWINNOW_LINE_WAY_WRITE) {
        pthread_testcancel(); // as in dprintf(3)
    }
    return is_taken ? length : -1;
}

int cwinnow_hook_vfprintf(FILE *stream, const char *format, va_list arguments) {
    int taken =
        take_formatted(cwinnow_hook_stream(stream), CWINNOW_LINE_WAY_STDIO, 0, format, arguments, FRAME);
    return taken >= 0 ? taken : REAL(vfprintf)(stream, format, arguments);
}

int cwinnow_hook_vprintf(const char *format, va_list arguments) {
    int taken =
        take_formatted(cwinnow_hook_stream(stdout), CWINNOW_LINE_WAY_STDIO, 0, format, arguments, FRAME);
    return taken >= 0 ? taken : REAL(vfprintf)(stdout, format, arguments);
}

int cwinnow_hook_vdprintf(int descriptor, const char *format, va_list arguments) {
    int32_t stream = cwinnow_hook_descriptor(descriptor);
    int taken = take_formatted(stream, CWINNOW_LINE_WAY_WRITE, 0, format, arguments, FRAME);
    return taken >= 0 ? taken : REAL(vdprintf)(descriptor, format, arguments);
}

/// The body of a hook with variable arguments: the number of its stream, and what it stands for.
#define FORMATTED(number, way, flag, real)                                           \
    va_list arguments;                                                         \
    va_start(arguments, format);                                               \
    int taken = take_formatted((number), (way), (flag), format, arguments, FRAME);     \
    if (taken < 0) {                                                           \
        taken = (real);                                                        \
    }                                                                          \
    va_end(arguments);                                                         \
    return taken

int cwinnow_hook_printf(const char *format, ...) {
    FORMATTED(cwinnow_hook_stream(stdout), CWINNOW_LINE_WAY_STDIO, 0,
              REAL(vfprintf)(stdout, format, arguments));
}

int cwinnow_hook_fprintf(FILE *stream, const char *format, ...) {
    FORMATTED(cwinnow_hook_stream(stream), CWINNOW_LINE_WAY_STDIO, 0,
              REAL(vfprintf)(stream, format, arguments));
}

int cwinnow_hook_dprintf(int descriptor, const char *format, ...) {
    FORMATTED(cwinnow_hook_descriptor(descriptor), CWINNOW_LINE_WAY_WRITE, 0,
              REAL(vdprintf)(descriptor, format, arguments));
}

// What the headers make of the functions above with -D_FORTIFY_SOURCE.

int cwinnow_hook_printf_chk(int flag, const char *format, ...) {
    FORMATTED(cwinnow_hook_stream(stdout), CWINNOW_LINE_WAY_STDIO, flag,
              REAL(__vfprintf_chk)(stdout, flag, format, arguments));
}

int cwinnow_hook_fprintf_chk(FILE *stream, int flag, const char *format, ...) {
    FORMATTED(cwinnow_hook_stream(stream), CWINNOW_LINE_WAY_STDIO, flag,
              REAL(__vfprintf_chk)(stream, flag, format, arguments));
}

int cwinnow_hook_dprintf_chk(int descriptor, int flag, const char *format, ...) {
    FORMATTED(cwinnow_hook_descriptor(descriptor), CWINNOW_LINE_WAY_WRITE, flag,
              REAL(__vdprintf_chk)(descriptor, flag, format, arguments));
}

int cwinnow_hook_vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments) {
    int taken =
        take_formatted(cwinnow_hook_stream(stream), CWINNOW_LINE_WAY_STDIO, flag, format, arguments, FRAME);
    return taken >= 0 ? taken : REAL(__vfprintf_chk)(stream, flag, format, arguments);
}

int cwinnow_hook_vprintf_chk(int flag, const char *format, va_list arguments) {
    int taken =
        take_formatted(cwinnow_hook_stream(stdout), CWINNOW_LINE_WAY_STDIO, flag, format, arguments, FRAME);
    return taken >= 0 ? taken : REAL(__vfprintf_chk)(stdout, flag, format, arguments);
}

int cwinnow_hook_vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments) {
    int32_t stream = cwinnow_hook_descriptor(descriptor);
    int taken = take_formatted(stream, CWINNOW_LINE_WAY_WRITE, flag, format, arguments, FRAME);
    return taken >= 0 ? taken : REAL(__vdprintf_chk)(descriptor, flag, format, arguments);
}

// Messages of libc's making.

/// What perror(3) and its like print: "NAME:FILE:LINE: TEXT: REASON", as far as there is of it.
typedef struct message {
    const char *name;
    /// NULL for none.
    const char *file;
    unsigned line;
    /// The text's, with its arguments.
    const char *format;
    va_list *arguments;
    /// The error whose reason it is; below 0 for none.
    int error;
    /// A reason that is no error's; NULL for none.
    const char *other_reason;
} message;

/// Formats a message as far as there is room. Returns the length of all of it, or what is below 0.
static long format_message(const message *of, char *text, size_t size) {
    char reason[256];
    bool has_name = of->name != NULL && of->name[0] != '\0';
    long length = of->file != NULL
        ? snprintf(text, size, "%s:%s:%u: ", of->name, of->file, of->line)
        : snprintf(text, size, "%s%s", has_name ? of->name : "", has_name ? ": " : "");
    if (length >= 0 && of->format != NULL) {
        size_t used = (size_t)length < size ? (size_t)length : size;
        errno = of->error < 0 ? errno : of->error; // for %m
        int more = format_text(text + used, size - used, 0, of->format, *of->arguments);
        length = more < 0 ? more : length + more;
    }
    if (length >= 0) {
        size_t used = (size_t)length < size ? (size_t)length : size;
        const char *why =
            of->error < 0 ? of->other_reason : strerror_r(of->error, reason, sizeof reason);
        length += snprintf(text + used, size - used, "%s%s\n",
                           why != NULL && of->format != NULL ? ": " : "", why != NULL ? why : "");
    }
    return length;
}

/// Takes a message; false where libc is to print it. Keeps errno.
static bool take_message(const message *of, const void *frame) {
    int saved_errno = errno;
    int32_t number = cwinnow_hook_stream(stderr);
    if (number == 0) {
        return false;
    }
    char text[FORMAT_SIZE];
    char *bytes = text;
    long length = format_message(of, text, sizeof text);
    if (length >= FORMAT_SIZE) {
        // As in `format_long`.
        long room = length;
        bytes = malloc((size_t)room + 1);
        length = bytes == NULL ? -1 : format_message(of, bytes, (size_t)room + 1);
        length = length < room ? length : room;
    }
    errno = saved_errno;
    bool is_taken = length >= 0 &&
        cwinnow_hook_all(number, CWINNOW_LINE_WAY_STDIO, bytes, (size_t)length, frame);
    if (bytes != text) {
        free(bytes);
    }
    errno = saved_errno;
    return is_taken;
}

void cwinnow_hook_perror(const char *prefix) {
    message message = {.name = prefix, .error = errno};
    if (!take_message(&message, FRAME)) {
        REAL(perror)(prefix);
    }
}

void cwinnow_hook_psignal(int number, const char *prefix) {
    char unknown[32];
    snprintf(unknown, sizeof unknown, "Unknown signal %d", number);
    // strsignal(3) has a text for signals of real time as well, psignal(3) has none.
    bool is_known = number > 0 && number < __SIGRTMIN;
    message message = {
        .name = prefix, .error = -1, .other_reason = is_known ? strsignal(number) : unknown};
    if (!take_message(&message, FRAME)) {
        REAL(psignal)(number, prefix);
    }
}

/// The body of a hook whose variable arguments `begin` takes.
#define WARNING(number, real, begin)                                                             \
    va_list arguments;                                                                           \
    begin;                                                                                       \
    message message = {.name = program_invocation_short_name,                                    \
                       .format = format,                                                         \
                       .arguments = &arguments,                                                  \
                       .error = (number)};                                                       \
    if (!take_message(&message, FRAME)) {                                                        \
        REAL(real)(format, arguments);                                                           \
    }                                                                                            \
    va_end(arguments)

void cwinnow_hook_warn(const char *format, ...) {
    WARNING(errno, vwarn, va_start(arguments, format));
}

void cwinnow_hook_warnx(const char *format, ...) {
    WARNING(-1, vwarnx, va_start(arguments, format));
}

void cwinnow_hook_vwarn(const char *format, va_list given) {
    WARNING(errno, vwarn, va_copy(arguments, given));
}

void cwinnow_hook_vwarnx(const char *format, va_list given) {
    WARNING(-1, vwarnx, va_copy(arguments, given));
}

/// Takes a message of error(3), and does what that does beside; false where libc is to do it all. A
/// program that prints a name of its own, or each place once, has libc print it.
static bool take_error(message *of, int status, int number, const void *frame) {
    int saved_errno = errno;
    if (cwinnow_hook_stream(stderr) == 0 || error_print_progname != NULL ||
        (of->file != NULL && error_one_per_line != 0)) {
        return false;
    }
    char reason[256];
    of->name = program_invocation_name;
    of->error = -1;
    of->other_reason = number != 0 ? strerror_r(number, reason, sizeof reason) : NULL;
    fflush(stdout);
    errno = saved_errno; // for %m
    if (!take_message(of, frame)) {
        return false;
    }
    error_message_count++;
    if (status != 0) {
        exit(status);
    }
    return true;
}

/// The body of a hook of error(3). There is no form of it that takes a list of arguments: libc prints what
/// they make, or the format as it is where there is no memory for that. It prints that in pieces, between
/// which the lock of the stream keeps the lines of others out; the end of the process is not to wait for it.
#define ERROR(place, real)                                                                        \
    va_list arguments;                                                                            \
    va_start(arguments, format);                                                                  \
    message message = {.file = (place), .line = line, .format = format, .arguments = &arguments}; \
    if (!take_error(&message, status, number, FRAME)) {                                           \
        char *made = NULL;                                                                        \
        const char *text = vasprintf(&made, format, arguments) < 0 ? format : made;               \
        unsigned count = error_message_count;                                                     \
        FILE *stream = stderr;                                                                    \
        flockfile(stream);                                                                        \
        real;                                                                                     \
        funlockfile(stream);                                                                      \
        if (status != 0 && error_message_count != count) {                                        \
            exit(status);                                                                         \
        }                                                                                         \
        if (text != format) {                                                                     \
            free(made);                                                                           \
        }                                                                                         \
    }                                                                                             \
    va_end(arguments)

void cwinnow_hook_error(int status, int number, const char *format, ...) {
    unsigned line = 0;
    ERROR(NULL, REAL(error)(0, number, "%s", text));
}

void cwinnow_hook_error_at_line(
    int status, int number, const char *file, unsigned line, const char *format, ...) {
    ERROR(file, REAL(error_at_line)(0, number, file, line, "%s", text));
}
