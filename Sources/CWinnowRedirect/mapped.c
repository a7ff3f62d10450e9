// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "mapped.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

/// By a call that fails in one way where it cannot be read and in another where it can: the kernel
/// reads the set of signals before it looks at what to do with it. Not at the address 0, which stands
/// for no set.
bool cwinnow_is_mapped(uintptr_t address) {
    const int no_such_way = -1;
    uintptr_t set = (address & ~(uintptr_t)7) | 8;
    return syscall(SYS_rt_sigprocmask, no_such_way, set, NULL, 8) == 0 || errno == EINVAL;
}

bool cwinnow_is_readable(const void *bytes, size_t size) {
    int saved_errno = errno;
    uintptr_t page = (uintptr_t)bytes & ~(CWINNOW_PAGE_SIZE - 1);
    // No object reaches to the end of the addresses, where `size` is none that write(2) takes.
    bool is_readable = size == 0 || (uintptr_t)bytes + size > (uintptr_t)bytes;
    for (; is_readable && size > 0 && page < (uintptr_t)bytes + size; page += CWINNOW_PAGE_SIZE) {
        is_readable = cwinnow_is_mapped(page);
    }
    errno = saved_errno;
    return is_readable;
}

/// Byte by byte, as a sanitizer looks after memcpy(3): a stack has words that nothing else may read.
__attribute__((no_sanitize("address", "thread"))) static void copy(
    uint8_t *to, const volatile uint8_t *from, size_t size) {
    for (size_t index = 0; index < size; index++) {
        to[index] = from[index];
    }
}

bool cwinnow_copy_mapped(void *ret_copy, uintptr_t from, size_t size) {
    int saved_errno = errno;
    struct iovec here = {ret_copy, size}, there = {(void *)from, size};
    // The kernel is asked for the process: a child of vfork(2) or _Fork(3) is another than before.
    long copied = syscall(SYS_process_vm_readv, (long)getpid(), &here, 1ul, &there, 1ul, 0ul);
    bool is_refused = copied < 0 && errno != EFAULT;
    if (is_refused && cwinnow_is_readable((const void *)from, size)) {
        copy(ret_copy, (const volatile uint8_t *)from, size);
        copied = (long)size;
    }
    errno = saved_errno;
    return copied == (long)size;
}
