// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

// What is read of a file at most; the certificates of a whole system are a quarter of a megabyte.
static const off_t greatest_size = 16 << 20;

// Reads so many bytes, fewer where the file ends; returns how many, or -errno.
static ssize_t read_all(int descriptor, uint8_t *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = read(descriptor, bytes + done, size - done);
        if (count == 0) {
            break;
        }
        if (count > 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return (ssize_t)done;
}

static int32_t read_descriptor(int descriptor, copenssl_file *file) {
    struct stat status;
    if (fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size > greatest_size) {
        return -ENOKEY;
    }
    size_t size = (size_t)status.st_size;
    file->bytes = malloc(size + 1);
    if (file->bytes == NULL) {
        return -ENOMEM;
    }
    ssize_t count = read_all(descriptor, file->bytes, size);
    file->size = count < 0 ? 0 : (int)count;
    return count < 0 ? -ENOKEY : 0;
}

// Reads a file; none where the path is NULL. 0, -ENOKEY or -ENOMEM.
static int32_t read_file(const char *path, copenssl_file *file) {
    if (path == NULL) {
        return 0;
    }
    // A FIFO opened so is not waited for, and then no regular file.
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) {
        return -ENOKEY;
    }
    int32_t status = read_descriptor(descriptor, file);
    close(descriptor);
    return status;
}

int32_t copenssl_files_read(const copenssl_identity *identity, copenssl_files *files) {
    int32_t status = read_file(identity->authorities, &files->authorities);
    if (status == 0 && identity->certificate != NULL && identity->key != NULL) {
        status = read_file(identity->certificate, &files->certificate);
        if (status == 0) {
            status = read_file(identity->key, &files->key);
        }
    }
    return status;
}

static void forget_file(copenssl_file *file) {
    if (file->bytes != NULL) {
        explicit_bzero(file->bytes, (size_t)file->size);
        free(file->bytes);
    }
}

void copenssl_files_forget(copenssl_files *files) {
    forget_file(&files->authorities);
    forget_file(&files->certificate);
    forget_file(&files->key);
}

// A key that a pass phrase protects: OpenSSL would ask for it on the terminal, and wait.
static int no_pass_phrase(char *buffer, int size, int rwflag, void *context) {
    (void)buffer, (void)size, (void)rwflag, (void)context;
    return -1;
}

// Whether the last certificate was read, and not one that is damaged.
static bool is_at_end(const copenssl_library *library) {
    unsigned long error = library->ERR_peek_last_error();
    library->ERR_clear_error();
    return error == PEM_NO_START_LINE_;
}

// Calls the body with each certificate of a file; whether there is one, and all were taken.
static bool each_certificate(
    const copenssl_library *library, SSL_CTX *context, const copenssl_file *file,
    bool (*body)(const copenssl_library *, SSL_CTX *, X509 *, int)) {
    BIO *bio = library->BIO_new_mem_buf(file->bytes, file->size);
    if (bio == NULL) {
        return false;
    }
    bool is_taken = true;
    int count = 0;
    while (is_taken) {
        X509 *certificate = library->PEM_read_bio_X509_AUX(bio, NULL, no_pass_phrase, NULL);
        if (certificate == NULL) {
            break;
        }
        is_taken = body(library, context, certificate, count++);
        library->X509_free(certificate);
    }
    library->BIO_free(bio);
    return is_taken && count > 0 && is_at_end(library);
}

static bool trust(const copenssl_library *library, SSL_CTX *context, X509 *certificate, int index) {
    (void)index;
    return library->X509_STORE_add_cert(library->SSL_CTX_get_cert_store(context), certificate) == 1;
}

// The first certificate of the file is ours, and the others stand above it.
static bool present(const copenssl_library *library, SSL_CTX *context, X509 *certificate, int index) {
    if (index == 0) {
        return library->SSL_CTX_use_certificate(context, certificate) == 1;
    }
    // 1: the context takes a reference of its own.
    return library->SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT_, 1, certificate) == 1;
}

static bool use_key(const copenssl_library *library, SSL_CTX *context, const copenssl_file *file) {
    BIO *bio = library->BIO_new_mem_buf(file->bytes, file->size);
    if (bio == NULL) {
        return false;
    }
    EVP_PKEY *key = library->PEM_read_bio_PrivateKey(bio, NULL, no_pass_phrase, NULL);
    library->BIO_free(bio);
    bool is_usable = key != NULL && library->SSL_CTX_use_PrivateKey(context, key) == 1
        && library->SSL_CTX_check_private_key(context) == 1;
    library->EVP_PKEY_free(key);
    return is_usable;
}

int32_t copenssl_files_apply(
    const copenssl_library *library, SSL_CTX *context, const copenssl_files *files) {
    bool is_trusting = files->authorities.bytes == NULL
        ? library->SSL_CTX_set_default_verify_paths(context) == 1
        : each_certificate(library, context, &files->authorities, trust);
    if (!is_trusting) {
        return -ENOKEY;
    }
    if (files->key.bytes == NULL) {
        return 0;
    }
    bool is_usable = each_certificate(library, context, &files->certificate, present)
        && use_key(library, context, &files->key);
    return is_usable ? 0 : -ENOKEY;
}
