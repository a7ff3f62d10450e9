// SPDX-License-Identifier: Apache-2.0

/// Local datagram and stream sockets: `sockaddr_un` and the CMSG macros do not import into Swift.
///
/// MT-Safe, AS-Safe all of them.

#ifndef CWINNOW_SOCKET_H
#define CWINNOW_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Connects a non-blocking, close-on-exec datagram socket to a path, unix(7), with a send buffer
/// of the given size where the system grants it (0: as it is). Returns a descriptor or -errno:
/// -ENOENT (no such path), -ECONNREFUSED (nobody listens), -EACCES, -EPROTOTYPE (the other side
/// is a stream).
int32_t cwinnow_socket_connect_datagram(const char *_Nonnull path, int32_t send_buffer_size);

/// The same for a stream socket, which /dev/log is on some systems.
int32_t cwinnow_socket_connect_stream(const char *_Nonnull path);

/// Returns the number that the kernel gives a socket, which no other socket ever has, SO_COOKIE of
/// <asm/socket.h>; 0 where the descriptor is none, or the kernel has no such number. MT-Safe, AS-Safe.
uint64_t cwinnow_socket_cookie(int32_t socket);

/// Sends one datagram, or bytes of a stream, without SIGPIPE and without waiting; returns how many
/// bytes, or -errno: -EAGAIN (the queue is full), -EMSGSIZE, -ECONNREFUSED, -ENOTCONN, -EPIPE.
int64_t cwinnow_socket_send(int32_t socket, const uint8_t *_Nullable bytes, size_t count);

/// Sends a datagram of no bytes that carries one descriptor, `SCM_RIGHTS`; 0 or -errno.
int32_t cwinnow_socket_send_descriptor(int32_t socket, int32_t descriptor);

#ifdef __cplusplus
}
#endif

#endif
