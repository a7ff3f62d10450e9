// SPDX-License-Identifier: Apache-2.0

/// Writes to descriptors, with the flags of pwritev2(2) that Swift does not import, and without the
/// signals that a write may raise.
///
/// Where possible, the system call is an instruction that is inlined into its caller. Processors whose
/// kernel returns by "safe RET" have forgotten all return addresses afterwards, so that each open function,
/// such as a wrapper or syscall(2), costs a record 10 ns when it returns. Also, a redirect of what is
/// printed puts a function of its own in the place of write(2).
///
/// Source: Linux, Documentation/admin-guide/hw-vuln/srso.rst. MT-Safe, AS-Safe all of them.

#ifndef CWINNOW_WRITE_H
#define CWINNOW_WRITE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a write is asked for, each in a single call: pwritev2(2), `RWF_NOWAIT` and `RWF_NOSIGNAL`.
enum {
    /// Not to wait. Pipes know it since Linux 6.5, terminals do not.
    CWINNOW_WRITE_AT_ONCE = 0x008,
    /// To raise no SIGPIPE. Since Linux 6.18.
    CWINNOW_WRITE_NO_SIGNAL = 0x100,
};

/// The same as the functions below, by syscall(2).
int64_t cwinnow_descriptor_write_by_call(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count);
int64_t cwinnow_descriptor_write_flagged_by_call(
    int32_t descriptor, const struct iovec *_Nonnull bytes, int32_t flags);

/// Writes bytes once, write(2); returns how many, or -errno.
__attribute__((always_inline)) static inline int64_t cwinnow_descriptor_write_once(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count) {
#if defined(__x86_64__) && defined(__LP64__)
    int64_t result = 1; // The number of write(2) on this architecture.
    // The kernel overwrites rcx and r11.
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"((int64_t)descriptor), "S"(bytes), "d"(count)
                     : "rcx", "r11", "memory");
    return result;
#else
    return cwinnow_descriptor_write_by_call(descriptor, bytes, count);
#endif
}

/// The same with a `CWINNOW_WRITE_`, pwritev2(2); -EOPNOTSUPP where the kernel does not know it.
__attribute__((always_inline)) static inline int64_t cwinnow_descriptor_write_flagged_once(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count, int32_t flags) {
    struct iovec piece = {(void *)(uintptr_t)bytes, count};
#if defined(__x86_64__) && defined(__LP64__)
    int64_t result = 328; // The number of pwritev2(2) on this architecture.
    // Where the descriptor is, in two halves of which the second does not count here.
    register int64_t position __asm__("r10") = -1;
    register int64_t upper __asm__("r8") = -1;
    register int64_t how __asm__("r9") = flags;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"((int64_t)descriptor), "S"(&piece), "d"((int64_t)1), "r"(position),
                       "r"(upper), "r"(how)
                     : "rcx", "r11", "memory");
    return result;
#else
    return cwinnow_descriptor_write_flagged_by_call(descriptor, &piece, flags);
#endif
}

/// Writes bytes, again on EINTR; returns how many, or -errno. For regular files and terminals, which
/// raise no SIGPIPE.
__attribute__((always_inline)) static inline int64_t cwinnow_descriptor_write(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count) {
    int64_t written;
    do {
        written = cwinnow_descriptor_write_once(descriptor, bytes, count);
    } while (written == -EINTR);
    return written;
}

/// Whether the kernel has refused `CWINNOW_WRITE_NO_SIGNAL`.
extern bool cwinnow_write_raises_signals;

/// Makes writes block the signal by the thread's mask from now on, as if the kernel refused the flag.
void cwinnow_write_expect_signals(void);

/// Ends `cwinnow_descriptor_write_pipe` where its first write has failed, or was not made; returns what
/// that returns: the given result, if it is final.
int64_t cwinnow_descriptor_write_pipe_otherwise(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count, int64_t result);

/// Writes bytes to a pipe or socket, again on EINTR; returns how many, or -errno: -EPIPE from one that
/// nobody reads, without a SIGPIPE that reaches the program.
///
/// One system call; where the kernel is older, three, because a mask is a thread's only means to that
/// end.
__attribute__((always_inline)) static inline int64_t cwinnow_descriptor_write_pipe(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count) {
    int64_t result = -EOPNOTSUPP;
    if (!__atomic_load_n(&cwinnow_write_raises_signals, __ATOMIC_RELAXED)) {
        result = cwinnow_descriptor_write_flagged_once(
            descriptor, bytes, count, CWINNOW_WRITE_NO_SIGNAL);
    }
    return result >= 0
        ? result
        : cwinnow_descriptor_write_pipe_otherwise(descriptor, bytes, count, result);
}

/// The same without waiting, also where the pipe may block, whose flags are not ours to change: -EAGAIN
/// where it is full. -EOPNOTSUPP where the kernel cannot be asked for it.
int64_t cwinnow_descriptor_write_pipe_at_once(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count);

/// The same as `cwinnow_descriptor_write` for files of a process with a RLIMIT_FSIZE: one that is as
/// large as it may be gives -EFBIG, and no SIGXFSZ reaches the program. Two more system calls.
int64_t cwinnow_descriptor_write_limited(
    int32_t descriptor, const uint8_t *_Nullable bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
