// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CSystemd.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

int32_t csystemd_event_make(void) {
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return event < 0 ? -errno : event;
}

void csystemd_event_signal(int32_t event) {
    int before = errno;
    eventfd_write(event, 1); // fails only where it is signalled already
    errno = before;
}

int32_t csystemd_event_wait(
    int32_t event, int32_t descriptor, int16_t events, int64_t nanoseconds) {
    // poll(2) passes over a descriptor of -1.
    struct pollfd waits[] = {
        {.fd = event, .events = POLLIN},
        {.fd = descriptor, .events = events},
    };
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    if (ppoll(waits, 2, nanoseconds < 0 ? NULL : &time, NULL) < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    if (waits[0].revents != 0) {
        eventfd_t count;
        eventfd_read(event, &count);
    }
    return 0;
}
