// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "COpenSSL.h"
#include "functions.h"
#include "identity.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#pragma GCC visibility push(protected)

// The longest record of TLS, and room for what encryption adds. Source: RFC 8446, section 5.
static const size_t record_size = 16384;
enum { encrypted_size = 32768 };

// What is read away before a write, at most: 64 KiB, which take some 0.1 ms to decrypt. A server
// that goes on sending is held by its full window, and keeps its connection: one that is ended
// loses what the server has not read yet.
enum { reads_per_check = 16, bytes_per_read = 4096 };

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

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int32_t copenssl_session_flush(copenssl_session *session) {
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

// Gives OpenSSL what the socket has; 0, -EAGAIN where it has nothing, -EPIPE at its end, or -errno.
static int32_t receive(copenssl_session *session) {
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

static int32_t await(int socket, short events, int64_t deadline) {
    for (;;) {
        int64_t left = deadline - milliseconds_now();
        if (left <= 0) {
            return -ETIMEDOUT;
        }
        struct pollfd wait = {.fd = socket, .events = events};
        int ready = poll(&wait, 1, left > INT_MAX ? INT_MAX : (int)left);
        if (ready > 0) {
            return 0;
        }
        if (ready < 0 && errno != EINTR) {
            return -errno;
        }
    }
}

static int32_t flush_until(copenssl_session *session, int64_t deadline) {
    for (;;) {
        int32_t status = copenssl_session_flush(session);
        if (status != -EAGAIN) {
            return status;
        }
        status = await(session->socket, POLLOUT, deadline);
        if (status < 0) {
            return status;
        }
    }
}

static int32_t receive_until(copenssl_session *session, int64_t deadline) {
    for (;;) {
        // A server that has always something to say is not waited for longer than one that is silent.
        int32_t status = milliseconds_now() < deadline ? receive(session) : -ETIMEDOUT;
        if (status != -EAGAIN) {
            return status;
        }
        status = await(session->socket, POLLIN, deadline);
        if (status < 0) {
            return status;
        }
    }
}

// Why the two cannot agree, by the last error of OpenSSL; a negated errno value.
static int32_t refusal(const copenssl_session *session) {
    const copenssl_library *library = session->library;
    if (session->is_verified && library->SSL_get_verify_result(session->ssl) != X509_V_OK_) {
        return -EKEYREJECTED;
    }
    unsigned long error = library->ERR_peek_last_error();
    if (error == 0) {
        return -ECONNABORTED;
    }
    long alert = (long)(error & ERR_REASON_MASK_) - SSL_AD_REASON_OFFSET_;
    // From bad_certificate to certificate_unknown, unknown_ca, access_denied and certificate_required.
    // Source: RFC 8446, section 6.
    bool is_ours_refused =
        (alert >= 42 && alert <= 46) || alert == 48 || alert == 49 || alert == 116;
    return is_ours_refused ? -EKEYREVOKED : -EPROTO;
}

// Waits for what the server says first. In TLS 1.3 the handshake is over for us before the server
// has seen our certificate, or that there is none: its refusal comes behind it, as its session
// tickets do, which must not meet a socket that is closed by then. One that says nothing is waited
// for no longer than three round trips and a quarter of a second.
// Source: RFC 8446, sections 4.4.2.4, 4.6.1 and 6.
static int32_t await_word(copenssl_session *session, int64_t deadline, int64_t round_trip) {
    if (session->library->SSL_version(session->ssl) < TLS1_3_VERSION_) {
        return 0;
    }
    // Some shake hands, and say their tickets, before they look at what they were shown.
    const int64_t patience[] = {250 + 3 * round_trip, 20 + round_trip};
    for (size_t word = 0; word < sizeof patience / sizeof *patience; word++) {
        int64_t end = milliseconds_now() + patience[word];
        copenssl_let_fork();
        int32_t status = await(session->socket, POLLIN, end < deadline ? end : deadline);
        copenssl_hold_forks();
        if (status < 0) {
            return status == -ETIMEDOUT ? 0 : status;
        }
        status = copenssl_session_check(session);
        if (status < 0) {
            return status == -EPIPE ? refusal(session) : status;
        }
    }
    return 0;
}

// Shakes hands; no fork is held while the server is waited for.
static int32_t shake_hands(copenssl_session *session, int32_t milliseconds) {
    const copenssl_library *library = session->library;
    int64_t begin = milliseconds_now();
    int64_t deadline = begin + milliseconds;
    for (;;) {
        library->ERR_clear_error();
        int result = library->SSL_connect(session->ssl);
        int error = result == 1 ? 0 : library->SSL_get_error(session->ssl, result);
        // What OpenSSL has to say goes out in any case: an alert tells the server why.
        copenssl_let_fork();
        int32_t status = flush_until(session, deadline);
        copenssl_hold_forks();
        if (status < 0) {
            return status;
        }
        if (result == 1) {
            return await_word(session, deadline, milliseconds_now() - begin);
        }
        if (error != SSL_ERROR_WANT_READ_) {
            return refusal(session);
        }
        copenssl_let_fork();
        status = receive_until(session, deadline);
        copenssl_hold_forks();
        if (status < 0) {
            return status;
        }
    }
}

// Sets whom the certificate must be for; 0 or -EPROTO.
static int32_t set_host(const copenssl_library *library, SSL *ssl, const char *host) {
    uint8_t address[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1) {
        int status = library->X509_VERIFY_PARAM_set1_ip_asc(library->SSL_get0_param(ssl), host);
        return status == 1 ? 0 : -EPROTO;
    }
    // Source: RFC 6066, section 3: only a name is told, which is type 0.
    char *name = strdup(host);
    if (name == NULL) {
        return -ENOMEM;
    }
    bool is_set = library->SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME_, 0, name) == 1
        && library->SSL_set1_host(ssl, host) == 1;
    free(name);
    return is_set ? 0 : -EPROTO;
}

static SSL *make_ssl(
    const copenssl_library *library, const copenssl_identity *identity, const copenssl_files *files,
    int32_t *ret_error) {
    SSL_CTX *context = library->SSL_CTX_new(library->TLS_client_method());
    if (context == NULL) {
        *ret_error = ENOMEM;
        return NULL;
    }
    // A library that refuses this would talk in any version that it knows.
    bool is_bound = library->SSL_CTX_ctrl(
        context, SSL_CTRL_SET_MIN_PROTO_VERSION_, TLS1_2_VERSION_, NULL) == 1;
    library->SSL_CTX_set_verify(
        context, identity->is_verified ? SSL_VERIFY_PEER_ : SSL_VERIFY_NONE_, NULL);
    SSL *ssl = NULL;
    int32_t status = is_bound ? copenssl_files_apply(library, context, files) : -EPROTO;
    if (status == 0) {
        ssl = library->SSL_new(context);
        status = ssl == NULL ? -ENOMEM : set_host(library, ssl, identity->host);
    }
    // The connection keeps what it needs of the context.
    library->SSL_CTX_free(context);
    if (status < 0) {
        *ret_error = -status;
        library->SSL_free(ssl);
        return NULL;
    }
    return ssl;
}

static copenssl_session *make_session(
    const copenssl_library *library, int32_t socket, const copenssl_identity *identity,
    const copenssl_files *files, int32_t *ret_error) {
    library->ERR_clear_error();
    copenssl_session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        *ret_error = ENOMEM;
        return NULL;
    }
    session->library = library;
    session->socket = socket;
    session->is_verified = identity->is_verified;
    session->ssl = make_ssl(library, identity, files, ret_error);
    if (session->ssl == NULL) {
        free(session);
        return NULL;
    }
    session->input = library->BIO_new(library->BIO_s_mem());
    session->output = library->BIO_new(library->BIO_s_mem());
    if (session->input == NULL || session->output == NULL) {
        library->BIO_free(session->input);
        library->BIO_free(session->output);
        library->SSL_free(session->ssl);
        free(session);
        *ret_error = ENOMEM;
        return NULL;
    }
    library->SSL_set_bio(session->ssl, session->input, session->output);
    return session;
}

copenssl_session *copenssl_session_open(
    int32_t socket, const copenssl_identity *identity, int32_t milliseconds, int32_t *ret_error) {
    const copenssl_library *library = copenssl_library_load();
    if (library == NULL) {
        *ret_error = copenssl_is_torn() ? EOWNERDEAD : ELIBACC;
        return NULL;
    }
    copenssl_files files = {0};
    int32_t status = copenssl_files_read(identity, &files);
    copenssl_session *session = NULL;
    if (status == 0) {
        copenssl_hold_forks();
        session = make_session(library, socket, identity, &files, ret_error);
        status = session == NULL ? -*ret_error : shake_hands(session, milliseconds);
        if (session != NULL && status < 0) {
            copenssl_session_forget(session);
            session = NULL;
        }
        copenssl_let_fork();
    }
    copenssl_files_forget(&files);
    if (status < 0) {
        *ret_error = -status;
    }
    return session;
}

int64_t copenssl_session_write(copenssl_session *session, const uint8_t *bytes, size_t count) {
    int32_t status = copenssl_session_flush(session);
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
        status = copenssl_session_flush(session);
        if (status < 0) {
            return status;
        }
    }
    int taken = session->held_back;
    session->held_back = 0;
    return taken;
}

int32_t copenssl_session_held_back(const copenssl_session *session) {
    return session->held_back;
}

int32_t copenssl_session_check(copenssl_session *session) {
    for (int reads = 0; reads < reads_per_check; reads++) {
        int32_t status = receive(session);
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

void copenssl_session_close(copenssl_session *session) {
    // What the socket has not taken by now is told as lost, or goes to the next connection.
    if (session->held_back == 0) {
        session->library->ERR_clear_error();
        session->library->SSL_shutdown(session->ssl);
        copenssl_session_flush(session);
    }
    // With something unread the kernel would reset the connection, and drop what it has not sent.
    // Source: RFC 2525, section 2.17; tcp(7), MSG_TRUNC.
    recv(session->socket, NULL, reads_per_check * bytes_per_read, MSG_DONTWAIT | MSG_TRUNC);
    copenssl_session_forget(session);
}

void copenssl_session_forget(copenssl_session *session) {
    // Frees the memory of both directions too; it takes locks of OpenSSL's.
    if (!copenssl_is_torn()) {
        session->library->SSL_free(session->ssl);
    }
    free(session);
}
