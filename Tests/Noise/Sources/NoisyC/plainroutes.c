// SPDX-License-Identifier: Apache-2.0

// What C code calls every day.

#define _GNU_SOURCE
// Calls of the functions, not what stands in the headers for them where the compiler optimizes.
#define __NO_INLINE__ 1
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "routes.h"

// What optimizers and headers make macros of.
#undef putc
#undef putchar
#undef putchar_unlocked
#undef putc_unlocked
#undef fputc_unlocked
#undef fputs_unlocked
#undef fwrite_unlocked

/// What headers make of printf(3) and fprintf(3) with -D_FORTIFY_SOURCE.
extern int __printf_chk(int flag, const char *format, ...);
extern int __fprintf_chk(FILE *stream, int flag, const char *format, ...);

static bool is_length(long printed, const char *text) {
    return printed == (long)strlen(text) + 1;
}

static bool by_puts(const char *text) {
    return puts(text) >= 0;
}

// With a character behind the text, as compilers make puts(3) of what could be that.

static bool by_printf(const char *text) {
    return is_length(printf("%s%c", text, '\n'), text);
}

static bool by_printf_chk(const char *text) {
    return is_length(__printf_chk(1, "%s%c", text, '\n'), text);
}

static bool by_fprintf(const char *text) {
    return is_length(fprintf(stderr, "%s%c", text, '\n'), text);
}

static bool by_fprintf_chk(const char *text) {
    return is_length(__fprintf_chk(stderr, 1, "%s%c", text, '\n'), text);
}

static int print_list(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = stream == NULL ? vprintf(format, arguments) : vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

static bool by_vprintf(const char *text) {
    return is_length(print_list(NULL, "%s%c", text, '\n'), text);
}

static bool by_vfprintf(const char *text) {
    return is_length(print_list(stderr, "%s%c", text, '\n'), text);
}

static bool by_fputs(const char *text) {
    int first = fputs(text, stdout);
    return first >= 0 && fputs("\n", stdout) >= 0;
}

static bool by_fputs_stderr(const char *text) {
    int first = fputs(text, stderr);
    return first >= 0 && fputs("\n", stderr) >= 0;
}

static bool by_fputs_unlocked(const char *text) {
    int first = fputs_unlocked(text, stdout);
    return first >= 0 && fputs_unlocked("\n", stdout) >= 0;
}

static bool by_fwrite(const char *text) {
    size_t count = fwrite(text, strlen(text), 1, stdout);
    return count == 1 && fwrite("\n", 1, 1, stdout) == 1 && fwrite(text, 0, 7, stdout) == 0;
}

static bool by_fwrite_unlocked(const char *text) {
    size_t count = fwrite_unlocked(text, 1, strlen(text), stderr);
    return count == strlen(text) && fwrite_unlocked("\n", 1, 1, stderr) == 1;
}

/// Prints one character after the other.
#define EACH(call)                                                   \
    bool is_right = true;                                            \
    for (const char *at = text; is_right && *at != '\0'; at++) {     \
        int character = (unsigned char)*at;                          \
        is_right = (call) == character;                              \
    }                                                                \
    int character = '\n';                                            \
    return is_right && (call) == character

static bool by_putchar(const char *text) {
    EACH(putchar(character));
}

static bool by_putchar_unlocked(const char *text) {
    EACH(putchar_unlocked(character));
}

static bool by_putc(const char *text) {
    EACH(putc(character, stdout));
}

static bool by_putc_unlocked(const char *text) {
    EACH(putc_unlocked(character, stdout));
}

static bool by_fputc(const char *text) {
    EACH(fputc(character, stderr));
}

static bool by_fputc_unlocked(const char *text) {
    EACH(fputc_unlocked(character, stderr));
}

/// A stream that was looked at once and is kept.
static bool by_cached_stream(const char *text) {
    static FILE *kept;
    kept = kept == NULL ? stdout : kept;
    return is_length(fprintf(kept, "%s%c", text, '\n'), text);
}

static bool write_whole(int descriptor, const char *text) {
    char line[256];
    int length = snprintf(line, sizeof line, "%s\n", text);
    return length > 0 && write(descriptor, line, (size_t)length) == length;
}

static bool by_write(const char *text) {
    return write_whole(STDOUT_FILENO, text);
}

static bool by_write_stderr(const char *text) {
    return write_whole(STDERR_FILENO, text);
}

static bool by_writev(const char *text) {
    char end[] = "\n";
    struct iovec parts[] = {
        {.iov_base = (void *)text, .iov_len = strlen(text)},
        {.iov_base = NULL, .iov_len = 0},
        {.iov_base = end, .iov_len = 1},
    };
    return is_length(writev(STDOUT_FILENO, parts, 3), text);
}

static bool by_dprintf(const char *text) {
    return is_length(dprintf(STDERR_FILENO, "%s\n", text), text);
}

static int print_list_to_descriptor(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vdprintf(STDOUT_FILENO, format, arguments);
    va_end(arguments);
    return length;
}

static bool by_vdprintf(const char *text) {
    return is_length(print_list_to_descriptor("%s\n", text), text);
}

/// Keeps errno, as those below must not change it.
#define WITH_ERROR(call)  \
    errno = EADDRINUSE;   \
    call;                 \
    return errno == EADDRINUSE

static bool by_perror(const char *text) {
    WITH_ERROR(perror(text));
}

static bool by_warn(const char *text) {
    WITH_ERROR(warn("%s", text));
}

static bool by_warnx(const char *text) {
    WITH_ERROR(warnx("%s", text));
}

const noisyc_route noisyc_plain_routes[] = {
    ROUTE("puts", by_puts),
    ROUTE("printf", by_printf),
    ROUTE("printf_chk", by_printf_chk),
    ROUTE("fprintf stderr", by_fprintf),
    ROUTE("fprintf_chk stderr", by_fprintf_chk),
    ROUTE("vprintf", by_vprintf),
    ROUTE("vfprintf stderr", by_vfprintf),
    ROUTE("fputs", by_fputs),
    ROUTE("fputs stderr", by_fputs_stderr),
    ROUTE("fputs_unlocked", by_fputs_unlocked),
    ROUTE("fwrite", by_fwrite),
    ROUTE("fwrite_unlocked stderr", by_fwrite_unlocked),
    ROUTE("putchar", by_putchar),
    ROUTE("putchar_unlocked", by_putchar_unlocked),
    ROUTE("putc", by_putc),
    ROUTE("putc_unlocked", by_putc_unlocked),
    ROUTE("fputc stderr", by_fputc),
    ROUTE("fputc_unlocked stderr", by_fputc_unlocked),
    ROUTE("cached stream", by_cached_stream),
    ROUTE("write", by_write),
    ROUTE("write stderr", by_write_stderr),
    ROUTE("writev", by_writev),
    ROUTE("dprintf stderr", by_dprintf),
    ROUTE("vdprintf", by_vdprintf),
    ROUTE("perror stderr", by_perror),
    ROUTE("warn stderr", by_warn),
    ROUTE("warnx stderr", by_warnx),
    {NULL, NULL},
};
