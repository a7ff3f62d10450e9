// SPDX-License-Identifier: Apache-2.0

/// The functions that the hooks stand for, as the loader finds them: a call by name would come back
/// to the hook.

#ifndef CWINNOW_REAL_H
#define CWINNOW_REAL_H

#include <dlfcn.h>
#include <err.h>
#include <error.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

// What optimizers and headers make macros of.
#undef putc
#undef putchar
#undef fwrite_unlocked
#undef fputs_unlocked
#undef fputc_unlocked
#undef putchar_unlocked

// What the headers have only with -D_FORTIFY_SOURCE; a flag above 0 has libc look at the format.
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);
int __vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments);
int __vsnprintf_chk(char *text, size_t size, int flag, size_t room, const char *format,
    va_list arguments);

#define CWINNOW_REAL_FUNCTIONS(X) \
    X(fwrite)                     \
    X(fwrite_unlocked)            \
    X(fputs)                      \
    X(fputs_unlocked)             \
    X(puts)                       \
    X(putchar)                    \
    X(fputc)                      \
    X(fputc_unlocked)             \
    X(vfprintf)                   \
    X(write)                      \
    X(writev)                     \
    X(vdprintf)                   \
    X(__vfprintf_chk)             \
    X(__vdprintf_chk)             \
    X(perror)                     \
    X(psignal)                    \
    X(vwarn)                      \
    X(vwarnx)                     \
    X(error)                      \
    X(error_at_line)              \
    X(dlopen)                     \
    X(dlsym)                      \
    X(_exit)

#define CWINNOW_REAL_DECLARE(name) __typeof__(&name) name##_function;
typedef struct cwinnow_real {
    CWINNOW_REAL_FUNCTIONS(CWINNOW_REAL_DECLARE)
    /// The streams that the program started with.
    FILE *streams[3];
} cwinnow_real;

extern cwinnow_real cwinnow_real_functions;

/// Looks the functions up, once; false where one is missing.
bool cwinnow_real_find(void);

/// A hook and the name that it stands for.
typedef struct cwinnow_hook {
    const char *name;
    void *function;
} cwinnow_hook;

/// The hooks that there are, at most.
#define CWINNOW_HOOK_LIMIT 64
/// The hooks, up to one without a name.
extern const cwinnow_hook cwinnow_hooks[];

/// What a hook stands for: libc's function, and what the loader finds first by the name, which is
/// another one where an object in front of libc defines it.
typedef struct cwinnow_stood_for {
    void *libc, *first;
} cwinnow_stood_for;

/// Returns the hook of a name; NULL where there is none.
const cwinnow_hook *cwinnow_hook_named(const char *name);

/// Returns the hook that stands for a function, by whichever of its names; NULL where there is
/// none. After `cwinnow_real_find`.
const cwinnow_hook *cwinnow_hook_for(const void *function);

/// Returns what a hook of the table stands for. After `cwinnow_real_find`.
const cwinnow_stood_for *cwinnow_real_of(const cwinnow_hook *hook);

/// Whether an object writes into stdio's buffers itself, with no call that could be hooked.
bool cwinnow_hooks_have_inlined_writers(void);

/// Whether hooks stand in the way of the Swift runtime itself, as its code is the program's.
bool cwinnow_hooks_are_runtimes(void);

#endif
