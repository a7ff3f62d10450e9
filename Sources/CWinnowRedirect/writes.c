// SPDX-License-Identifier: Apache-2.0

// The hooks of the system calls that write. The kernel says EFAULT of memory that cannot be read, and
// so it does behind a hook, which asks before it reads. A thread can be cancelled in them: pthreads(7).

#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>

#include "hook.h"
#include "mapped.h"

#pragma GCC visibility push(protected)

ssize_t cwinnow_hook_of_write(int descriptor, const void *bytes, size_t size) {
    int32_t number = cwinnow_hook_descriptor(descriptor);
    cwinnow_printed printed;
    if (number == 0 || !cwinnow_hook_begin(number, FRAME, &printed)) {
        return REAL(write)(descriptor, bytes, size);
    }
    bool is_taken = cwinnow_is_readable(bytes, size) &&
        cwinnow_hook_take(printed, CWINNOW_LINE_WAY_WRITE, bytes, size);
    cwinnow_hook_end();
    if (!is_taken) {
        return REAL(write)(descriptor, bytes, size);
    }
    pthread_testcancel();
    return (ssize_t)size;
}

/// Whether all of a list of parts can be read, and the list itself.
static bool is_list(const struct iovec *parts, int count) {
    bool is_readable = count > 0 && count <= IOV_MAX &&
        cwinnow_is_readable(parts, (size_t)count * sizeof *parts);
    for (int index = 0; is_readable && index < count; index++) {
        is_readable = cwinnow_is_readable(parts[index].iov_base, parts[index].iov_len);
    }
    return is_readable;
}

ssize_t cwinnow_hook_of_writev(int descriptor, const struct iovec *parts, int count) {
    int32_t number = cwinnow_hook_descriptor(descriptor);
    cwinnow_printed printed;
    if (number == 0 || !cwinnow_hook_begin(number, FRAME, &printed)) {
        return REAL(writev)(descriptor, parts, count);
    }
    bool is_taken = is_list(parts, count) &&
        cwinnow_hook_take_parts(printed, CWINNOW_LINE_WAY_WRITE, parts, count);
    cwinnow_hook_end();
    if (!is_taken) {
        return REAL(writev)(descriptor, parts, count);
    }
    pthread_testcancel();
    ssize_t size = 0;
    for (int index = 0; index < count; index++) {
        size += (ssize_t)parts[index].iov_len;
    }
    return size;
}
