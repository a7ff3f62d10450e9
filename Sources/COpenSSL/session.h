// SPDX-License-Identifier: Apache-2.0

/// A connection, as its handshake and its use share it. Who calls what is `within` has entered OpenSSL.

#ifndef COPENSSL_SESSION_H
#define COPENSSL_SESSION_H

#include "COpenSSL.h"
#include "functions.h"

// A record of TLS, and room for what encryption adds. Source: RFC 8446, section 5.
enum { encrypted_size = 32768 };

struct copenssl_session {
    const copenssl_library *library;
    SSL *ssl;
    // The memory that OpenSSL reads from and writes to; the session's own.
    BIO *input, *output;
    int socket;
    // Whether the certificate of the server is checked.
    bool is_verified;
    // The bytes of the caller's that OpenSSL has taken, and the socket not all of.
    int held_back;
    // What OpenSSL has written and the socket has not taken.
    size_t pending_start, pending_end;
    uint8_t pending[encrypted_size];
};

/// Sends what waits in the session: 0 where nothing does any more, -EAGAIN, or another errno value.
int32_t copenssl_flush_within(copenssl_session *session);

/// Gives OpenSSL what the socket has; 0, -EAGAIN where it has nothing, -EPIPE at its end, or -errno.
int32_t copenssl_receive_within(copenssl_session *session);

/// Does what `copenssl_session_check` does.
int32_t copenssl_check_within(copenssl_session *session);

#endif
