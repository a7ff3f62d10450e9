// SPDX-License-Identifier: Apache-2.0

/// The files by which the two sides prove who they are. They are read while no fork(2) is held: a file
/// system that is away would hold it for as long.

#ifndef COPENSSL_IDENTITY_H
#define COPENSSL_IDENTITY_H

#include "COpenSSL.h"
#include "functions.h"

/// What a file holds; no bytes where none is given.
typedef struct copenssl_file {
    uint8_t *bytes;
    int size;
} copenssl_file;

/// The files of an identity; all zero before they are read.
typedef struct copenssl_files {
    copenssl_file authorities, certificate, key;
} copenssl_files;

/// Reads the files of an identity: 0, or -ENOKEY where one cannot be read, is no regular file or is
/// larger than any of its kind, or -ENOMEM. What it has read is there in any case. Calls nothing of
/// OpenSSL. MT-Safe, AS-Unsafe heap.
int32_t copenssl_files_read(const copenssl_identity *identity, copenssl_files *files);

/// Has the context trust whom the files say, the system's authorities without any, and be whom they
/// say; 0 or -ENOKEY. MT-Unsafe, AS-Unsafe.
int32_t copenssl_files_apply(
    const copenssl_library *library, SSL_CTX *context, const copenssl_files *files);

/// Overwrites and frees what was read. MT-Safe, AS-Unsafe heap.
void copenssl_files_forget(copenssl_files *files);

#endif
