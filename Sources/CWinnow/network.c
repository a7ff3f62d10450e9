// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowNetwork.h"
#include "CWinnowDescriptor.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

// An idle peer is asked after 30 s, three times, 10 s apart.
static const int keep_idle_seconds = 30;
static const int keep_interval_seconds = 10;
static const int keep_count = 3;
// One that has data to acknowledge, or to ask for, and says nothing for a minute is gone. Not by
// TCP_USER_TIMEOUT: that ends as well the connection of a peer that stands still and answers each
// probe of its window, and what the buffers hold for it is lost though it reads on some time.
static const uint32_t silence_milliseconds = 60000;
// One lost probe of a closed window does not count yet.
static const uint8_t unanswered_probes = 3;

// What fails here costs only the early notice of a peer that is gone.
static void keep_alive(int descriptor) {
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &keep_idle_seconds, sizeof keep_idle_seconds);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &keep_interval_seconds,
               sizeof keep_interval_seconds);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &keep_count, sizeof keep_count);
}

// Waits until the connection stands; 0 or -errno.
static int32_t await(int descriptor, int32_t milliseconds) {
    struct pollfd wait = {.fd = descriptor, .events = POLLOUT};
    int ready;
    do {
        ready = poll(&wait, 1, milliseconds);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) {
        return ready < 0 ? -errno : -ETIMEDOUT;
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) < 0) {
        return -errno;
    }
    return -error;
}

// Whether a socket is connected to itself: this can happen if nobody listens at the port, and the kernel
// has just given that port to the socket.
static bool is_own_peer(int descriptor) {
    struct sockaddr_storage own, peer;
    memset(&own, 0, sizeof own);
    memset(&peer, 0, sizeof peer);
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    return getsockname(descriptor, (struct sockaddr *)&own, &own_size) == 0
        && getpeername(descriptor, (struct sockaddr *)&peer, &peer_size) == 0
        && own_size == peer_size && memcmp(&own, &peer, own_size) == 0;
}

static int32_t connect_to(const struct addrinfo *address, int32_t milliseconds) {
    int type = address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK;
    // If the program has closed its standard output, what it prints would go to the server.
    uint32_t held = cwinnow_descriptor_hold_standard();
    int descriptor = socket(address->ai_family, type, address->ai_protocol);
    int32_t status = descriptor < 0 ? -errno : 0;
    cwinnow_descriptor_release_standard(held);
    if (status < 0) {
        return status;
    }
    if (connect(descriptor, address->ai_addr, address->ai_addrlen) < 0) {
        status = errno == EINPROGRESS ? await(descriptor, milliseconds) : -errno;
    }
    if (status == 0 && is_own_peer(descriptor)) {
        status = -ECONNREFUSED;
    }
    if (status < 0) {
        close(descriptor);
        return status;
    }
    if (address->ai_socktype == SOCK_STREAM) {
        keep_alive(descriptor);
    }
    return cwinnow_descriptor_move_up(descriptor);
}

static int32_t lookup_error(int status) {
    switch (status) {
    case EAI_SYSTEM:
        return errno == 0 ? -EIO : -errno;
    case EAI_AGAIN:
        return -EAGAIN;
    case EAI_MEMORY:
        return -ENOMEM;
    default:
        return -EHOSTUNREACH;
    }
}

// Whether an error says that there is no way to an address, as where a machine has no IPv6: that says
// less of the server than what another address has answered.
static bool is_without_way(int32_t error) {
    return error == -ENETUNREACH || error == -EHOSTUNREACH || error == -EADDRNOTAVAIL
        || error == -EAFNOSUPPORT;
}

// Connects to the first that answers, beginning with the one whose turn it is and going round; says
// whose turn it was then.
static int32_t connect_to_any(const struct addrinfo *addresses, uint32_t count, uint32_t *turn,
                              int32_t milliseconds) {
    int32_t result = -EHOSTUNREACH;
    for (uint32_t tried = 0; tried < count; tried++) {
        uint32_t number = (*turn + tried) % count;
        const struct addrinfo *address = addresses;
        for (uint32_t skipped = number; skipped > 0; skipped--) {
            address = address->ai_next;
        }
        int32_t status = connect_to(address, milliseconds);
        if (status >= 0) {
            *turn = number;
            return status;
        }
        if (tried == 0 || is_without_way(result)) {
            result = status;
        }
    }
    return result;
}

int32_t cwinnow_network_connect(const char *host, uint16_t port, bool is_stream, uint32_t *turn,
                                uint32_t *ret_count, int32_t milliseconds,
                                int8_t *ret_lookup_error) {
    char service[6];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = is_stream ? SOCK_STREAM : SOCK_DGRAM,
        .ai_flags = AI_NUMERICSERV,
    };
    struct addrinfo *addresses = NULL;
    int status = getaddrinfo(host, service, &hints, &addresses);
    // All that there are lie from -1 to -105.
    *ret_lookup_error = status == EAI_SYSTEM ? 0 : (int8_t)status;
    if (status != 0) {
        return lookup_error(status);
    }
    uint32_t count = 0;
    for (const struct addrinfo *next = addresses; next != NULL; next = next->ai_next) {
        count++;
    }
    *ret_count = count;
    int32_t result = connect_to_any(addresses, count, turn, milliseconds);
    freeaddrinfo(addresses);
    return result;
}

// What is read away before a write, at most: 256 KiB. A server that goes on sending is held by its full
// window, and not by us. It keeps its connection, as one that is ended loses what it has not read yet.
enum { reads_per_check = 16, bytes_per_read = 16384 };

int32_t cwinnow_network_check(int32_t socket) {
    for (int reads = 0; reads < reads_per_check; reads++) {
        // Source: tcp(7), MSG_TRUNC: the bytes are discarded, and no buffer is written.
        ssize_t count = recv(socket, NULL, bytes_per_read, MSG_DONTWAIT | MSG_TRUNC);
        if (count == 0) {
            return -EPIPE;
        }
        if (count < 0 && errno != EINTR) {
            return errno == EAGAIN ? 0 : -errno;
        }
    }
    return 0;
}

int32_t cwinnow_network_refusal(int32_t socket) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? -errno : -error;
}

// Asks what the kernel knows of a stream; whether it says so.
static bool ask(int32_t socket, struct tcp_info *info) {
    memset(info, 0, sizeof *info);
    socklen_t size = sizeof *info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) == 0;
}

bool cwinnow_network_is_silent(int32_t socket) {
    struct tcp_info info;
    if (!ask(socket, &info)) {
        return false;
    }
    bool is_owed = (info.tcpi_unacked > 0 && info.tcpi_retransmits > 0)
        || info.tcpi_probes >= unanswered_probes;
    return is_owed && info.tcpi_last_ack_recv > silence_milliseconds;
}

uint32_t cwinnow_network_unheard(int32_t socket) {
    struct tcp_info info;
    return ask(socket, &info) ? info.tcpi_last_ack_recv : 0;
}
