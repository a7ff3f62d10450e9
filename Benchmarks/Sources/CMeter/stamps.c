// SPDX-License-Identifier: Apache-2.0

#include "CMeter.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int32_t cmeter_stamped_pair(int32_t *ret_reading, int32_t *ret_writing) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return errno;
    }
    int is_stamped = 1;
    if (setsockopt(ends[0], SOL_SOCKET, SO_TIMESTAMPNS, &is_stamped, sizeof is_stamped) != 0) {
        int32_t error = errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    *ret_reading = ends[0];
    *ret_writing = ends[1];
    return 0;
}

int64_t cmeter_receive(int32_t descriptor, void *bytes, int64_t byte_count, uint64_t *ret_stamp) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = (size_t)byte_count};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT);
    if (count < 0) {
        return -errno;
    }
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_type != SCM_TIMESTAMPNS) {
        return -ENOMSG;
    }
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
    *ret_stamp = (uint64_t)stamp.tv_sec * 1000000000u + (uint64_t)stamp.tv_nsec;
    return count;
}
