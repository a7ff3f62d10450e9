// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowHooks.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "CWinnowDescriptor.h"
#include "CWinnowPrinted.h"
#include "CWinnowSignal.h"
#include "CWinnowThread.h"
#include "hook.h"
#include "known.h"
#include "loaded.h"

#pragma GCC visibility push(protected)

static bool inactive;
/// Whether the hooks do something, on a page of its own: see `cwinnow_hooks_prepare`.
///
/// Who comes into a hook has found its address in a table, which orders nothing: both this address and
/// what it leads to are read so that all is seen that was prepared before.
static bool *is_active = &inactive;
static pid_t owner;
/// What the next is beside a fork.
static __thread bool was_inside;
/// Whether the thread is within a hook already: its own output, or a signal handler's.
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

static bool *active_flag(void) {
    return __atomic_load_n(&is_active, __ATOMIC_ACQUIRE);
}

void cwinnow_hooks_prepare(void) {
    if (active_flag() != &inactive) {
        return;
    }
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    // In a child that no handler is called in, as that of _Fork(3), nobody would take what is printed.
    if (page != MAP_FAILED && madvise(page, size, MADV_WIPEONFORK) != 0) {
        munmap(page, size);
        page = MAP_FAILED;
    }
    __atomic_store_n(&is_active, page == MAP_FAILED ? &inactive : page, __ATOMIC_RELEASE);
}

void cwinnow_hooks_set_active(bool active) {
    if (active == cwinnow_hooks_are_active()) {
        return;
    }
    owner = getpid();
    // Not while a thread is amid a line: `print` holds the lock of stdout for all of one, and what it
    // had printed of it would come before, or behind, what others print meanwhile.
    FILE *locked[3];
    cwinnow_streams_lock(locked);
    for (int32_t stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
        if (locked[stream] != NULL && cwinnow_stream_is_ready(stream)) {
            fflush_unlocked(locked[stream]);
        }
    }
    __atomic_store_n(active_flag(), active, __ATOMIC_RELEASE);
    cwinnow_streams_unlock(locked);
}

bool cwinnow_hooks_suspend(void) {
    bool was_suspended = is_inside;
    is_inside = true;
    return was_suspended;
}

void cwinnow_hooks_resume(bool was_suspended) {
    is_inside = was_suspended;
}

bool cwinnow_hooks_are_active(void) {
    return __atomic_load_n(active_flag(), __ATOMIC_ACQUIRE);
}

void cwinnow_hooks_before_fork(void) {
    was_inside = is_inside;
    // What other handlers of the fork print goes its way, in the child too: there the locks of the
    // hooks are made free only later.
    is_inside = true;
    cwinnow_tables_before_fork();
    cwinnow_loaded_before_fork();
}

void cwinnow_hooks_after_fork(bool is_child) {
    cwinnow_loaded_after_fork(is_child);
    cwinnow_tables_after_fork(is_child);
    if (is_child) {
        __atomic_store_n(active_flag(), false, __ATOMIC_RELEASE);
    }
    is_inside = was_inside && !is_child;
}

int32_t cwinnow_hook_stream(const FILE *stream) {
    if (!cwinnow_hooks_are_active() || is_inside) {
        return 0;
    }
    const cwinnow_real *real = &cwinnow_real_functions;
    return stream == real->streams[1] ? 1 : stream == real->streams[2] ? 2 : 0;
}

int32_t cwinnow_hook_descriptor(int descriptor) {
    bool is_ours = descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
    return is_ours && cwinnow_hooks_are_active() && !is_inside ? descriptor : 0;
}

bool cwinnow_hook_begin(int32_t stream, const void *frame, cwinnow_printed *printed) {
    is_inside = true;
    if (cwinnow_thread_is_own()) {
        *printed = (cwinnow_printed){.stream = stream, .verdict = CWINNOW_VERDICT_PASS};
    } else {
        *printed = cwinnow_printed_look(stream, frame);
    }
    bool passes = printed->verdict == CWINNOW_VERDICT_PASS &&
        cwinnow_descriptor_original(stream) == stream;
    is_inside = !passes;
    return !passes;
}

/// Whether a part is the report with which Swift ends a process: nothing may keep it from where it is
/// looked for.
__attribute__((noinline)) static bool has_last_report(const struct iovec *parts, int count) {
    static const char report[] = "Fatal error: ";
    bool is_report = false;
    for (int part = 0; part < count; part++) {
        is_report |= memmem(parts[part].iov_base, parts[part].iov_len, report,
                            sizeof report - 1) != NULL;
    }
    return is_report;
}

/// Prints what our own threads and sinks print, which is not for us: it goes past the capture, or
/// nowhere where nobody reads it.
__attribute__((noinline)) static bool print_parts(
    int32_t stream, const struct iovec *parts, int count) {
    for (int part = 0; part < count; part++) {
        cwinnow_hook_write(
            cwinnow_descriptor_original(stream), parts[part].iov_base, parts[part].iov_len);
    }
    return true;
}

/// Inlined, as most of what is printed comes by: what is rare is apart.
__attribute__((always_inline)) static inline bool take(
    cwinnow_printed printed, cwinnow_line_way way, const struct iovec *parts, int count) {
    int saved_errno = errno;
    bool may_be_report = printed.stream == STDERR_FILENO && cwinnow_hooks_are_runtimes();
    bool is_taken = printed.verdict == CWINNOW_VERDICT_PASS
        ? print_parts(printed.stream, parts, count)
        : !(may_be_report && has_last_report(parts, count)) &&
            cwinnow_printed_take(printed, way, parts, count);
    errno = saved_errno;
    return is_taken;
}

bool cwinnow_hook_take_parts(
    cwinnow_printed printed, cwinnow_line_way way, const struct iovec *parts, int count) {
    return take(printed, way, parts, count);
}

bool cwinnow_hook_take(
    cwinnow_printed printed, cwinnow_line_way way, const char *bytes, size_t size) {
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    return take(printed, way, &part, 1);
}

void cwinnow_hook_end(void) {
    is_inside = false;
}

bool cwinnow_hook_all(int32_t stream, cwinnow_line_way way, const char *bytes, size_t size,
    const void *frame) {
    cwinnow_printed printed;
    if (!cwinnow_hook_begin(stream, frame, &printed)) {
        return false;
    }
    bool is_taken = cwinnow_hook_take(printed, way, bytes, size);
    cwinnow_hook_end();
    return is_taken;
}

#define TAKE(stream, bytes, size) \
    ((stream) != 0 && cwinnow_hook_all((stream), CWINNOW_LINE_WAY_STDIO, (bytes), (size), FRAME))

/// The long way of `fwrite_to`, apart, so that who need not take it saves no register.
__attribute__((noinline)) static size_t take_fwrite(const void *bytes, size_t size, size_t count,
    FILE *stream, int32_t number, const void *frame) {
    return cwinnow_hook_all(number, CWINNOW_LINE_WAY_STDIO, bytes, size * count, frame)
        ? (size == 0 ? 0 : count)
        : REAL(fwrite)(bytes, size, count, stream);
}

/// What `print` calls, and so most of what is hooked: inlined, so that the short way saves no register.
__attribute__((always_inline)) static inline size_t fwrite_to(int32_t number, const void *bytes,
    size_t size, size_t count, FILE *stream, const void *frame) {
    cwinnow_verdict known =
        number == STDOUT_FILENO ? cwinnow_printed_known(number, frame) : CWINNOW_VERDICT_NONE;
    if (known == CWINNOW_VERDICT_DROP) {
        return size == 0 ? 0 : count;
    }
    if (known == CWINNOW_VERDICT_NONE && number != 0) {
        return take_fwrite(bytes, size, count, stream, number, frame);
    }
    return REAL(fwrite)(bytes, size, count, stream);
}

static size_t hook_fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
    return fwrite_to(cwinnow_hook_stream(stream), bytes, size, count, stream, FRAME);
}

size_t cwinnow_hook_fwrite_of_print(const void *bytes, size_t size, size_t count, FILE *stream) {
    int32_t number = cwinnow_hook_stream(stream);
    return fwrite_to(
        number == STDOUT_FILENO ? number : 0, bytes, size, count, stream, FRAME);
}

// What passes by a function without a lock takes it all the same while the hooks are active, if it is
// for a stream of ours: the worker may print there, of which the program knows nothing.

static size_t hook_fwrite_unlocked(const void *bytes, size_t size, size_t count, FILE *stream) {
    int32_t number = cwinnow_hook_stream(stream);
    if (TAKE(number, bytes, size * count)) {
        return size == 0 ? 0 : count;
    }
    return number != 0 ? REAL(fwrite)(bytes, size, count, stream)
                       : REAL(fwrite_unlocked)(bytes, size, count, stream);
}

static int hook_fputs(const char *text, FILE *stream) {
    int32_t number = cwinnow_hook_stream(stream);
    return number != 0 && TAKE(number, text, strlen(text)) ? 1 : REAL(fputs)(text, stream);
}

static int hook_fputs_unlocked(const char *text, FILE *stream) {
    int32_t number = cwinnow_hook_stream(stream);
    if (number != 0 && TAKE(number, text, strlen(text))) {
        return 1;
    }
    return number != 0 ? REAL(fputs)(text, stream) : REAL(fputs_unlocked)(text, stream);
}

static int hook_puts(const char *text) {
    int32_t number = cwinnow_hook_stream(stdout);
    cwinnow_printed printed;
    if (number == 0 || !cwinnow_hook_begin(number, FRAME, &printed)) {
        return REAL(puts)(text);
    }
    size_t size = strlen(text);
    struct iovec parts[] = {{(void *)(uintptr_t)text, size}, {"\n", 1}};
    bool is_taken = cwinnow_hook_take_parts(printed, CWINNOW_LINE_WAY_STDIO, parts, 2);
    cwinnow_hook_end();
    // What glibc returns; POSIX only asks for no negative number.
    return !is_taken ? REAL(puts)(text) : size < INT_MAX ? (int)size + 1 : INT_MAX;
}

static int hook_fputc(int character, FILE *stream) {
    char byte = (char)character;
    return TAKE(cwinnow_hook_stream(stream), &byte, 1) ? (unsigned char)byte
                                             : REAL(fputc)(character, stream);
}

static int put_unlocked(int character, FILE *stream, const void *frame) {
    int32_t number = cwinnow_hook_stream(stream);
    if (number == 0) {
        return REAL(fputc_unlocked)(character, stream);
    }
    char byte = (char)character;
    return cwinnow_hook_all(number, CWINNOW_LINE_WAY_STDIO, &byte, 1, frame)
        ? (unsigned char)byte
        : REAL(fputc)(character, stream);
}

static int hook_fputc_unlocked(int character, FILE *stream) {
    return put_unlocked(character, stream, FRAME);
}

static int hook_putchar(int character) {
    char byte = (char)character;
    return TAKE(cwinnow_hook_stream(stdout), &byte, 1) ? (unsigned char)byte : REAL(putchar)(character);
}

static int hook_putchar_unlocked(int character) {
    return put_unlocked(character, stdout, FRAME);
}

// The functions of the loader, so that what is loaded is hooked before it prints. They are called
// last: the loader looks at the address that it returns to, for the paths of the object there.

static void *hook_dlopen(const char *path, int flags) {
    if (cwinnow_hooks_are_active() && !is_inside) {
        is_inside = true;
        cwinnow_hooks_note_load();
        is_inside = false;
    }
    __attribute__((musttail)) return REAL(dlopen)(path, flags);
}

static void *hook_dlsym(void *handle, const char *name) {
    if (cwinnow_hooks_are_active() && !is_inside) {
        is_inside = true;
        cwinnow_hooks_renew(false);
        is_inside = false;
    }
    __attribute__((musttail)) return REAL(dlsym)(handle, name);
}

/// _exit(2) runs nothing: what was printed before it is worked off first, by other threads, as a
/// signal handler may call it.
static void hook_exit(int status) {
    // Not in a child of vfork(2), which shares the memory.
    if (cwinnow_hooks_are_active() && getpid() == owner) {
        cwinnow_ending_await();
    }
    REAL(_exit)(status);
}

#define HOOK(name, hook) {#name, (void *)(hook)}

// By all names that glibc has for a function: older objects call the ones in capitals, and so do
// compilers, and libc's own headers now and then.
const cwinnow_hook cwinnow_hooks[] = {
    HOOK(fwrite, hook_fwrite),
    HOOK(_IO_fwrite, hook_fwrite),
    HOOK(fwrite_unlocked, hook_fwrite_unlocked),
    HOOK(fputs, hook_fputs),
    HOOK(_IO_fputs, hook_fputs),
    HOOK(fputs_unlocked, hook_fputs_unlocked),
    HOOK(puts, hook_puts),
    HOOK(_IO_puts, hook_puts),
    HOOK(putchar, hook_putchar),
    HOOK(putchar_unlocked, hook_putchar_unlocked),
    HOOK(fputc, hook_fputc),
    HOOK(putc, hook_fputc),
    HOOK(_IO_putc, hook_fputc),
    HOOK(fputc_unlocked, hook_fputc_unlocked),
    HOOK(putc_unlocked, hook_fputc_unlocked),
    HOOK(vfprintf, cwinnow_hook_vfprintf),
    HOOK(_IO_vfprintf, cwinnow_hook_vfprintf),
    HOOK(vprintf, cwinnow_hook_vprintf),
    HOOK(printf, cwinnow_hook_printf),
    HOOK(_IO_printf, cwinnow_hook_printf),
    HOOK(fprintf, cwinnow_hook_fprintf),
    HOOK(_IO_fprintf, cwinnow_hook_fprintf),
    HOOK(__printf_chk, cwinnow_hook_printf_chk),
    HOOK(__fprintf_chk, cwinnow_hook_fprintf_chk),
    HOOK(__vfprintf_chk, cwinnow_hook_vfprintf_chk),
    HOOK(__vprintf_chk, cwinnow_hook_vprintf_chk),
    HOOK(write, cwinnow_hook_of_write),
    HOOK(__write, cwinnow_hook_of_write),
    HOOK(writev, cwinnow_hook_of_writev),
    HOOK(dprintf, cwinnow_hook_dprintf),
    HOOK(vdprintf, cwinnow_hook_vdprintf),
    HOOK(__dprintf_chk, cwinnow_hook_dprintf_chk),
    HOOK(__vdprintf_chk, cwinnow_hook_vdprintf_chk),
    HOOK(perror, cwinnow_hook_perror),
    HOOK(psignal, cwinnow_hook_psignal),
    HOOK(warn, cwinnow_hook_warn),
    HOOK(warnx, cwinnow_hook_warnx),
    HOOK(vwarn, cwinnow_hook_vwarn),
    HOOK(vwarnx, cwinnow_hook_vwarnx),
    HOOK(error, cwinnow_hook_error),
    HOOK(error_at_line, cwinnow_hook_error_at_line),
    HOOK(dlopen, hook_dlopen),
    HOOK(dlsym, hook_dlsym),
    HOOK(_exit, hook_exit),
    HOOK(_Exit, hook_exit),
    {NULL, NULL},
};

_Static_assert(sizeof cwinnow_hooks / sizeof *cwinnow_hooks <= CWINNOW_HOOK_LIMIT, "each is found");
