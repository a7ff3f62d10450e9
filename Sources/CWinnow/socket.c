// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowSocket.h"
#include "CWinnowDescriptor.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

static int32_t connect_local(const char *path, int type, int32_t send_buffer_size) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) {
        return -ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, length);
    // If the program has closed its standard output, what it prints would go to the receiver.
    uint32_t held = cwinnow_descriptor_hold_standard();
    int descriptor = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int32_t status = descriptor < 0 ? -errno : 0;
    cwinnow_descriptor_release_standard(held);
    if (status < 0) {
        return status;
    }
    if (send_buffer_size > 0) {
        // Beyond wmem_max only root may go; without it the buffer is what the system grants.
        if (setsockopt(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer_size,
                       sizeof send_buffer_size) < 0) {
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &send_buffer_size,
                       sizeof send_buffer_size);
        }
    }
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) < 0) {
        int32_t reason = -errno;
        close(descriptor);
        return reason;
    }
    return cwinnow_descriptor_move_up(descriptor);
}

int32_t cwinnow_socket_connect_datagram(const char *path, int32_t send_buffer_size) {
    return connect_local(path, SOCK_DGRAM, send_buffer_size);
}

int32_t cwinnow_socket_connect_stream(const char *path) {
    return connect_local(path, SOCK_STREAM, 0);
}

uint64_t cwinnow_socket_cookie(int32_t socket) {
    uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) < 0 ? 0 : cookie;
}

int64_t cwinnow_socket_send(int32_t socket, const uint8_t *bytes, size_t count) {
    ssize_t sent;
    do {
        // Not send(3), in which a thread can be cancelled, whose lock would be held for good.
        sent = syscall(
            SYS_sendto, socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, (size_t)0);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

int32_t cwinnow_socket_send_descriptor(int32_t socket, int32_t descriptor) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    ssize_t sent;
    do {
        sent = syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}
