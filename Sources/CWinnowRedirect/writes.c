// SPDX-License-Identifier: Apache-2.0

// The hooks of the system calls that write. The kernel says EFAULT of memory that cannot be read, and
// so it does behind a hook, which asks before it reads.

#define _GNU_SOURCE
#include <limits.h>

#include "hook.h"
#include "mapped.h"

ssize_t cwinnow_hook_of_write(int descriptor, const void *bytes, size_t size) {
    int32_t number = cwinnow_hook_descriptor(descriptor);
    cwinnow_printed printed;
    if (number == 0 || !cwinnow_hook_begin(number, FRAME, &printed)) {
        return REAL(write)(descriptor, bytes, size);
    }
    bool is_taken = cwinnow_is_readable(bytes, size) &&
        cwinnow_hook_take(printed, CWINNOW_LINE_WAY_WRITE, bytes, size);
    cwinnow_hook_end();
    return is_taken ? (ssize_t)size : REAL(write)(descriptor, bytes, size);
}

/// Takes the parts of a writev(2); returns how many.
static int take_parts(cwinnow_printed printed, const struct iovec *parts, int count) {
    int taken = 0;
    while (taken < count && cwinnow_is_readable(parts[taken].iov_base, parts[taken].iov_len) &&
           cwinnow_hook_take(printed, CWINNOW_LINE_WAY_WRITE, parts[taken].iov_base,
                             parts[taken].iov_len)) {
        taken++;
    }
    return taken;
}

ssize_t cwinnow_hook_of_writev(int descriptor, const struct iovec *parts, int count) {
    int32_t number = cwinnow_hook_descriptor(descriptor);
    cwinnow_printed printed;
    if (number == 0 || !cwinnow_hook_begin(number, FRAME, &printed)) {
        return REAL(writev)(descriptor, parts, count);
    }
    bool is_list = count > 0 && count <= IOV_MAX &&
        cwinnow_is_readable(parts, (size_t)count * sizeof *parts);
    int taken = is_list ? take_parts(printed, parts, count) : 0;
    cwinnow_hook_end();
    ssize_t size = 0;
    for (int index = 0; index < taken; index++) {
        size += (ssize_t)parts[index].iov_len;
    }
    if (taken > 0 && taken == count) {
        return size;
    }
    // As write(2), it may take a part.
    ssize_t rest = REAL(writev)(descriptor, parts + taken, count - taken);
    return rest >= 0 ? size + rest : size > 0 ? size : rest;
}
