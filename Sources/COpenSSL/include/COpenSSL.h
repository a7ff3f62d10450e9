// SPDX-License-Identifier: Apache-2.0

/// TLS over a socket that is connected, by OpenSSL 3, which is loaded when the first connection asks
/// for it: `libssl.so.3`. A build needs no header of it, a program without TLS loads nothing, and the
/// distribution mends its faults without a new build.
///
/// OpenSSL itself never touches the socket: what it would write goes by send(2) without SIGPIPE.
/// Every function returns a value >= 0 or a negated errno value but where it says otherwise.

#ifndef COPENSSL_H
#define COPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the two sides prove who they are. The strings need to live for the length of the call.
typedef struct copenssl_identity {
    /// The name or address that the certificate of the server must be for.
    const char *_Nonnull host;
    /// A file of certificates, PEM, that may have issued the server's; NULL for those of the system.
    const char *_Nullable authorities;
    /// Our certificate and those above it, and its key, PEM; both or neither.
    const char *_Nullable certificate;
    const char *_Nullable key;
    /// Whether the certificate of the server is checked.
    bool is_verified;
} copenssl_identity;

/// A connection. One thread at a time may use it.
typedef struct copenssl_session copenssl_session;

/// Makes a session of TLS 1.2 or later over a non-blocking socket, which stays the caller's, and
/// waits for it no longer than the time. Returns NULL and sets `ret_error` to an errno value where
/// that fails: ELIBACC (no libssl.so.3), EOWNERDEAD (the process was forked while its parent was at
/// work in it), ESHUTDOWN (OpenSSL has cleaned up, as at the exit of a program that uses it),
/// EKEYREJECTED (the server's certificate is not for the host, or nobody known has
/// issued it), ENOKEY (a file of ours cannot be read, is no regular one, or not what it should be),
/// ETIMEDOUT, EPROTO (what is said is not TLS, or the server refuses us), and those of the socket.
/// For a thread of its own: what OpenSSL keeps of the thread is freed. MT-Safe, AS-Unsafe heap lock.
copenssl_session *_Nullable copenssl_session_open(
    int32_t socket, const copenssl_identity *_Nonnull identity, int32_t milliseconds,
    int32_t *_Nonnull ret_error);

/// Has the body run at exit while OpenSSL is still there, where one is prepared for from now on. A
/// program that uses OpenSSL itself has it clean up at exit, before what was registered for the exit
/// until then. The body may run several times. MT-Safe, AS-Safe.
void copenssl_set_end(void (*_Nonnull body)(void));

/// Prepares for the exit, by the first call: before a thread loads OpenSSL, during which the process may
/// exit. MT-Safe, AS-Unsafe lock.
void copenssl_prepare_end(void);

/// Sends bytes, at most 16 KiB at a time; returns how many the socket has taken, or -EAGAIN, -EPIPE,
/// -ESHUTDOWN and their like. After -EAGAIN some may wait in the session, encrypted: the next call is for the
/// same bytes. Does not wait. MT-Unsafe, AS-Unsafe.
int64_t copenssl_session_write(
    copenssl_session *_Nonnull session, const uint8_t *_Nonnull bytes, size_t count);

/// Returns how many of the bytes of the last call wait so.
int32_t copenssl_session_held_back(const copenssl_session *_Nonnull session);

/// Sends what waits in the session: 0 where nothing does any more, -EAGAIN, or another errno value.
/// MT-Unsafe, AS-Unsafe.
int32_t copenssl_session_flush(copenssl_session *_Nonnull session);

/// Reads away what the server has sent, and leaves what is beyond 64 KiB to the next call; 0, or -EPIPE
/// where it has ended the connection, or -errno. MT-Unsafe, AS-Unsafe.
int32_t copenssl_session_check(copenssl_session *_Nonnull session);

/// Says good-bye where the socket takes it and no bytes wait, and frees the session. MT-Unsafe,
/// AS-Unsafe.
void copenssl_session_close(copenssl_session *_Nonnull session);

/// Frees the session without a word: in the child of a fork, whose parent goes on with it.
void copenssl_session_forget(copenssl_session *_Nonnull session);

#ifdef __cplusplus
}
#endif

#endif
