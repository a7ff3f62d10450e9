// SPDX-License-Identifier: Apache-2.0

// What COpenSSL declares of OpenSSL is what OpenSSL's own headers declare: this compiles.

#include "COpenSSL.h"
#include "functions.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#define IS_SAME(type, name, parameters)                                                   \
    _Static_assert(                                                                       \
        __builtin_types_compatible_p(                                                     \
            __typeof__(((copenssl_library *)0)->name), __typeof__(&name)),                \
        "copenssl_library." #name " has the type of " #name);
COPENSSL_FUNCTIONS(IS_SAME)

_Static_assert(SSL_ERROR_WANT_READ_ == SSL_ERROR_WANT_READ, "the number has its value");
_Static_assert(SSL_VERIFY_NONE_ == SSL_VERIFY_NONE, "the number has its value");
_Static_assert(SSL_VERIFY_PEER_ == SSL_VERIFY_PEER, "the number has its value");
_Static_assert(SSL_CTRL_SET_TLSEXT_HOSTNAME_ == SSL_CTRL_SET_TLSEXT_HOSTNAME, "the number has its value");
_Static_assert(SSL_CTRL_SET_MIN_PROTO_VERSION_ == SSL_CTRL_SET_MIN_PROTO_VERSION, "the number has its value");
_Static_assert(TLS1_2_VERSION_ == TLS1_2_VERSION, "the number has its value");
_Static_assert(OPENSSL_INIT_NO_ATEXIT_ == OPENSSL_INIT_NO_ATEXIT, "the number has its value");
_Static_assert(SSL_CTRL_CHAIN_CERT_ == SSL_CTRL_CHAIN_CERT, "the number has its value");
_Static_assert(PEM_NO_START_LINE_ == (ERR_LIB_PEM << ERR_LIB_OFFSET | PEM_R_NO_START_LINE), "the number has its value");
_Static_assert(X509_V_OK_ == X509_V_OK, "the number has its value");
