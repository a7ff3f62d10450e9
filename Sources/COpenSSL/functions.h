// SPDX-License-Identifier: Apache-2.0

/// What is used of OpenSSL, as its headers of version 3 declare it; all of its types are opaque.

#ifndef COPENSSL_FUNCTIONS_H
#define COPENSSL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_method_st SSL_METHOD;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;
typedef struct X509_VERIFY_PARAM_st X509_VERIFY_PARAM;
typedef struct x509_st X509;
typedef struct x509_store_st X509_STORE;
typedef struct evp_pkey_st EVP_PKEY;
typedef int pem_password_cb(char *, int, int, void *);
typedef struct ossl_init_settings_st OPENSSL_INIT_SETTINGS;
struct x509_store_ctx_st;

// Source: <openssl/ssl.h>, <openssl/tls1.h>, and <openssl/err.h> for ERR_PACK() of the last.
enum {
    SSL_ERROR_WANT_READ_ = 2,
    SSL_VERIFY_NONE_ = 0,
    SSL_VERIFY_PEER_ = 1,
    SSL_CTRL_SET_TLSEXT_HOSTNAME_ = 55,
    SSL_CTRL_CHAIN_CERT_ = 89,
    SSL_CTRL_SET_MIN_PROTO_VERSION_ = 123,
    TLS1_2_VERSION_ = 0x0303,
    TLS1_3_VERSION_ = 0x0304,
    X509_V_OK_ = 0,
    OPENSSL_INIT_NO_ATEXIT_ = 0x00080000,
    PEM_NO_START_LINE_ = 9 << 23 | 108,
    ERR_REASON_MASK_ = 0x7fffff,
    SSL_AD_REASON_OFFSET_ = 1000,
};

/// Calls `each` with the type of the result, the name and the parameters of each function.
#define COPENSSL_FUNCTIONS(each)                                             \
    each(int, OPENSSL_init_ssl, (uint64_t, const OPENSSL_INIT_SETTINGS *))   \
    each(int, OPENSSL_atexit, (void (*)(void)))                              \
    each(void, OPENSSL_thread_stop, (void))                                  \
    each(const SSL_METHOD *, TLS_client_method, (void))                      \
    each(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *))                       \
    each(void, SSL_CTX_free, (SSL_CTX *))                                    \
    each(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *))                 \
    each(void, SSL_CTX_set_verify,                                           \
         (SSL_CTX *, int, int (*)(int, struct x509_store_ctx_st *)))         \
    each(int, SSL_CTX_set_default_verify_paths, (SSL_CTX *))                 \
    each(X509_STORE *, SSL_CTX_get_cert_store, (const SSL_CTX *))            \
    each(int, X509_STORE_add_cert, (X509_STORE *, X509 *))                   \
    each(int, SSL_CTX_use_certificate, (SSL_CTX *, X509 *))                  \
    each(int, SSL_CTX_use_PrivateKey, (SSL_CTX *, EVP_PKEY *))               \
    each(X509 *, PEM_read_bio_X509_AUX,                                      \
         (BIO *, X509 **, pem_password_cb *, void *))                        \
    each(EVP_PKEY *, PEM_read_bio_PrivateKey,                                \
         (BIO *, EVP_PKEY **, pem_password_cb *, void *))                    \
    each(void, X509_free, (X509 *))                                          \
    each(void, EVP_PKEY_free, (EVP_PKEY *))                                  \
    each(int, SSL_CTX_check_private_key, (const SSL_CTX *))                  \
    each(SSL *, SSL_new, (SSL_CTX *))                                        \
    each(void, SSL_free, (SSL *))                                            \
    each(void, SSL_set_bio, (SSL *, BIO *, BIO *))                           \
    each(long, SSL_ctrl, (SSL *, int, long, void *))                         \
    each(int, SSL_set1_host, (SSL *, const char *))                          \
    each(X509_VERIFY_PARAM *, SSL_get0_param, (SSL *))                       \
    each(int, X509_VERIFY_PARAM_set1_ip_asc,                                 \
         (X509_VERIFY_PARAM *, const char *))                                \
    each(int, SSL_connect, (SSL *))                                          \
    each(int, SSL_version, (const SSL *))                                    \
    each(int, SSL_read, (SSL *, void *, int))                                \
    each(int, SSL_write, (SSL *, const void *, int))                         \
    each(int, SSL_shutdown, (SSL *))                                         \
    each(int, SSL_get_error, (const SSL *, int))                             \
    each(long, SSL_get_verify_result, (const SSL *))                         \
    each(void, ERR_clear_error, (void))                                      \
    each(unsigned long, ERR_peek_last_error, (void))                         \
    each(const BIO_METHOD *, BIO_s_mem, (void))                              \
    each(BIO *, BIO_new, (const BIO_METHOD *))                               \
    each(BIO *, BIO_new_mem_buf, (const void *, int))                        \
    each(int, BIO_free, (BIO *))                                             \
    each(int, BIO_read, (BIO *, void *, int))                                \
    each(int, BIO_write, (BIO *, const void *, int))

#define COPENSSL_MEMBER(type, name, parameters) type(*name) parameters;
typedef struct copenssl_library {
    COPENSSL_FUNCTIONS(COPENSSL_MEMBER)
} copenssl_library;

/// Returns the library, loaded by the first call; NULL where it is not there, or may not be entered.
/// MT-Safe.
const copenssl_library *copenssl_library_load(void);

/// Enters OpenSSL: each fork(2) waits for 200 ms, or until `copenssl_leave`, and so does the cleaning up
/// of OpenSSL. Returns false, and has not entered, where nothing of it may be called: see
/// `copenssl_absence`. Not twice on one thread; no call in between waits for a server. MT-Safe,
/// AS-Unsafe lock.
bool copenssl_enter(void);

/// Ends what `copenssl_enter` has begun on this thread. MT-Safe, AS-Unsafe lock.
void copenssl_leave(void);

/// Returns why OpenSSL cannot be entered, an errno value. ELIBACC: it is not there. EOWNERDEAD: this
/// process was forked while its parent was at work in it, whose locks and memory are torn for good then.
/// ESHUTDOWN: it has cleaned up, as at the exit of a program that uses it. MT-Safe, AS-Safe.
int32_t copenssl_absence(void);

#endif
