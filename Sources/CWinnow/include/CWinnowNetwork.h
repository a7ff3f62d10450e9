// SPDX-License-Identifier: Apache-2.0

/// Connections to another machine: getaddrinfo(3), and options of sockets that are C macros.

#ifndef CWINNOW_NETWORK_H
#define CWINNOW_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Looks the host up and connects a non-blocking, close-on-exec socket to the first of its
/// addresses that answers, of IPv4 and IPv6 in the order of getaddrinfo(3), each within the time;
/// `turn`, which may be larger than their count, says with which to begin, and then which has
/// answered, and `ret_count` how many there are. A stream keeps itself alive: an idle peer that answers nothing for about a minute ends
/// it, tcp(7). Returns a descriptor or -errno, that of the first address which there is a way to:
/// -EHOSTUNREACH where the name has none, -EAGAIN where no name server answers, -ETIMEDOUT,
/// -ECONNREFUSED; and what getaddrinfo(3) returned, 0 where errno says more. It blocks, for seconds
/// where a name server is away: not for a thread that logs. MT-Safe env locale, AS-Unsafe heap lock.
int32_t cwinnow_network_connect(
    const char *_Nonnull host, uint16_t port, bool is_stream, uint32_t *_Nonnull turn,
    uint32_t *_Nonnull ret_count, int32_t milliseconds, int8_t *_Nonnull ret_lookup_error);

/// Reads away what the peer of a stream of TCP has sent, and tells whether it still listens: 0 if
/// so, -EPIPE where it has ended the connection, or -errno. Does not wait, and leaves what is
/// beyond 256 KiB to the next call. MT-Safe, AS-Safe.
int32_t cwinnow_network_check(int32_t socket);

/// Returns what was said of the datagrams that a socket has sent, and forgets it, SO_ERROR of socket(7): 0,
/// or -errno: -ECONNREFUSED where nobody listens at the address. Within a machine, that is known when the
/// call that sends has returned. MT-Safe, AS-Safe.
int32_t cwinnow_network_refusal(int32_t socket);

/// Tells whether the peer of a stream of TCP has said nothing for a minute, though it has something to
/// acknowledge or is asked whether its window is open again. One that stands still answers. MT-Safe,
/// AS-Safe.
bool cwinnow_network_is_silent(int32_t socket);

/// Returns for how many milliseconds the peer of a stream of TCP has acknowledged nothing and said no
/// end; 0 where the kernel does not know. MT-Safe, AS-Safe.
uint32_t cwinnow_network_unheard(int32_t socket);

#ifdef __cplusplus
}
#endif

#endif
