// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#pragma GCC visibility push(protected)

// The longest record of TLS. Source: RFC 8446, section 5.
static const size_t record_size = 16384;

// What is read away before a write, at most: 64 KiB, which take some 0.1 ms to decrypt. A server
// that goes on sending is held by its full window, and keeps its connection: one that is ended
// loses what the server has not read yet.
enum { reads_per_check = 16, bytes_per_read = 4096 };

int32_t copenssl_flush_within(copenssl_session *session) {
    for (;;) {
        if (session->pending_start == session->pending_end) {
            int count = session->library->BIO_read(session->output, session->pending, encrypted_size);
            if (count <= 0) {
                session->pending_start = session->pending_end = 0;
                return 0;
            }
            session->pending_start = 0;
            session->pending_end = (size_t)count;
        }
        ssize_t sent = send(session->socket, session->pending + session->pending_start,
                            session->pending_end - session->pending_start,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            session->pending_start += (size_t)sent;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
}

int32_t copenssl_receive_within(copenssl_session *session) {
    uint8_t bytes[bytes_per_read];
    for (;;) {
        ssize_t count = recv(session->socket, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count > 0) {
            int taken = session->library->BIO_write(session->input, bytes, (int)count);
            return taken == count ? 0 : -ENOMEM;
        }
        if (count == 0) {
            return -EPIPE;
        }
        if (errno != EINTR) {
            return -errno;
        }
    }
}

// Sends bytes, from within.
static int64_t write_within(copenssl_session *session, const uint8_t *bytes, size_t count) {
    int32_t status = copenssl_flush_within(session);
    if (status < 0) {
        return status;
    }
    if (session->held_back == 0) {
        session->library->ERR_clear_error();
        session->held_back = session->library->SSL_write(
            session->ssl, bytes, (int)(count < record_size ? count : record_size));
        if (session->held_back <= 0) {
            session->held_back = 0;
            return -EPROTO;
        }
        status = copenssl_flush_within(session);
        if (status < 0) {
            return status;
        }
    }
    int taken = session->held_back;
    session->held_back = 0;
    return taken;
}

int64_t copenssl_session_write(copenssl_session *session, const uint8_t *bytes, size_t count) {
    if (!copenssl_enter()) {
        return -copenssl_absence();
    }
    int64_t status = write_within(session, bytes, count);
    copenssl_leave();
    return status;
}

int32_t copenssl_session_flush(copenssl_session *session) {
    if (!copenssl_enter()) {
        return -copenssl_absence();
    }
    int32_t status = copenssl_flush_within(session);
    copenssl_leave();
    return status;
}

int32_t copenssl_session_held_back(const copenssl_session *session) {
    return session->held_back;
}

int32_t copenssl_check_within(copenssl_session *session) {
    for (int reads = 0; reads < reads_per_check; reads++) {
        int32_t status = copenssl_receive_within(session);
        if (status == -EAGAIN) {
            return 0;
        }
        if (status < 0) {
            return status;
        }
        uint8_t bytes[bytes_per_read];
        int count;
        do {
            session->library->ERR_clear_error();
            count = session->library->SSL_read(session->ssl, bytes, sizeof bytes);
        } while (count > 0);
        if (session->library->SSL_get_error(session->ssl, count) != SSL_ERROR_WANT_READ_) {
            return -EPIPE;
        }
    }
    return 0;
}

int32_t copenssl_session_check(copenssl_session *session) {
    if (!copenssl_enter()) {
        return -copenssl_absence();
    }
    int32_t status = copenssl_check_within(session);
    copenssl_leave();
    return status;
}

void copenssl_session_close(copenssl_session *session) {
    // What the socket has not taken by now is told as lost, or goes to the next connection.
    if (session->held_back == 0 && copenssl_enter()) {
        session->library->ERR_clear_error();
        session->library->SSL_shutdown(session->ssl);
        copenssl_flush_within(session);
        copenssl_leave();
    }
    // With something unread the kernel would reset the connection, and drop what it has not sent.
    // Source: RFC 2525, section 2.17; tcp(7), MSG_TRUNC.
    recv(session->socket, NULL, reads_per_check * bytes_per_read, MSG_DONTWAIT | MSG_TRUNC);
    copenssl_session_forget(session);
}

void copenssl_session_forget(copenssl_session *session) {
    // Frees the memory of both directions too.
    if (copenssl_enter()) {
        session->library->SSL_free(session->ssl);
        copenssl_leave();
    }
    free(session);
}
