// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "identity.h"
#include "session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC visibility push(protected)

// Leaves OpenSSL to wait, and frees what it keeps of this thread: it would free that itself at the
// thread's end, which may come while another thread has it clean up.
static void leave(const copenssl_library *library) {
    library->OPENSSL_thread_stop();
    copenssl_leave();
}

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
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
        if (milliseconds_now() >= deadline) {
            return -ETIMEDOUT;
        }
        if (!copenssl_enter()) {
            return -copenssl_absence();
        }
        int32_t status = copenssl_receive_within(session);
        copenssl_leave();
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

// Reads what the server has said behind the handshake; 0, or why it ends the connection.
static int32_t read_word(copenssl_session *session) {
    if (!copenssl_enter()) {
        return -copenssl_absence();
    }
    int32_t status = copenssl_check_within(session);
    if (status == -EPIPE) {
        status = refusal(session);
    }
    leave(session->library);
    return status;
}

// Waits for what the server says first. In TLS 1.3 the handshake is over for us before the server
// has seen our certificate, or that there is none: its refusal comes behind it, as its session
// tickets do, which must not meet a socket that is closed by then. One that says nothing is waited
// for no longer than three round trips and a quarter of a second.
// Source: RFC 8446, sections 4.4.2.4, 4.6.1 and 6.
static int32_t await_word(copenssl_session *session, int64_t deadline, int64_t round_trip) {
    // Some shake hands, and say their tickets, before they look at what they were shown.
    const int64_t patience[] = {250 + 3 * round_trip, 20 + round_trip};
    for (size_t word = 0; word < sizeof patience / sizeof *patience; word++) {
        int64_t end = milliseconds_now() + patience[word];
        int32_t status = await(session->socket, POLLIN, end < deadline ? end : deadline);
        if (status < 0) {
            return status == -ETIMEDOUT ? 0 : status;
        }
        status = read_word(session);
        if (status < 0) {
            return status;
        }
    }
    return 0;
}

// How far a handshake is.
enum { needs_server, is_done, needs_word };

// Takes the handshake as far as it gets without the server; says how far, or why it fails.
static int32_t advance(copenssl_session *session) {
    if (!copenssl_enter()) {
        return -copenssl_absence();
    }
    const copenssl_library *library = session->library;
    library->ERR_clear_error();
    int result = library->SSL_connect(session->ssl);
    int32_t status = needs_server;
    if (result == 1) {
        status = library->SSL_version(session->ssl) < TLS1_3_VERSION_ ? is_done : needs_word;
    } else if (library->SSL_get_error(session->ssl, result) != SSL_ERROR_WANT_READ_) {
        status = refusal(session);
    }
    leave(library);
    return status;
}

// Shakes hands; no fork is held while the server is waited for.
static int32_t shake_hands(copenssl_session *session, int32_t milliseconds) {
    int64_t begin = milliseconds_now();
    int64_t deadline = begin + milliseconds;
    for (;;) {
        int32_t progress = advance(session);
        // What OpenSSL has to say goes out in any case: an alert tells the server why.
        int32_t status = flush_until(session, deadline);
        if (status < 0) {
            return status;
        }
        if (progress == needs_word) {
            return await_word(session, deadline, milliseconds_now() - begin);
        }
        if (progress != needs_server) {
            return progress < 0 ? progress : 0;
        }
        status = receive_until(session, deadline);
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

// Makes the connection's part of OpenSSL; 0, or -errno.
static int32_t make_ssl(
    const copenssl_library *library, const copenssl_identity *identity, const copenssl_files *files,
    SSL **ret_ssl) {
    SSL_CTX *context = library->SSL_CTX_new(library->TLS_client_method());
    if (context == NULL) {
        return -ENOMEM;
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
        library->SSL_free(ssl);
        return status;
    }
    *ret_ssl = ssl;
    return 0;
}

// Gives the connection its memory to read from and to write to; 0, or -ENOMEM.
static int32_t make_buffers(copenssl_session *session) {
    const copenssl_library *library = session->library;
    session->input = library->BIO_new(library->BIO_s_mem());
    session->output = library->BIO_new(library->BIO_s_mem());
    if (session->input == NULL || session->output == NULL) {
        library->BIO_free(session->input);
        library->BIO_free(session->output);
        return -ENOMEM;
    }
    library->SSL_set_bio(session->ssl, session->input, session->output);
    return 0;
}

// Makes what OpenSSL needs for a session; 0, or -errno.
static int32_t equip(
    copenssl_session *session, const copenssl_identity *identity, const copenssl_files *files) {
    if (!copenssl_enter()) {
        return -copenssl_absence();
    }
    session->library->ERR_clear_error();
    int32_t status = make_ssl(session->library, identity, files, &session->ssl);
    if (status == 0) {
        status = make_buffers(session);
    }
    leave(session->library);
    return status;
}

// Makes a session and shakes hands; 0, or -errno.
static int32_t open_session(
    copenssl_session *session, const copenssl_identity *identity, int32_t milliseconds) {
    copenssl_files files = {0};
    int32_t status = copenssl_files_read(identity, &files);
    if (status == 0) {
        status = equip(session, identity, &files);
    }
    copenssl_files_forget(&files);
    return status < 0 ? status : shake_hands(session, milliseconds);
}

copenssl_session *copenssl_session_open(
    int32_t socket, const copenssl_identity *identity, int32_t milliseconds, int32_t *ret_error) {
    const copenssl_library *library = copenssl_library_load();
    if (library == NULL) {
        *ret_error = copenssl_absence();
        return NULL;
    }
    copenssl_session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        *ret_error = ENOMEM;
        return NULL;
    }
    session->library = library;
    session->socket = socket;
    session->is_verified = identity->is_verified;
    int32_t status = open_session(session, identity, milliseconds);
    if (status < 0) {
        *ret_error = -status;
        copenssl_session_forget(session);
        return NULL;
    }
    return session;
}
