#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# COpenSSL, which no build holds against OpenSSL, declares what OpenSSL's headers declare, and the
# library has every function by that name.

source "$(dirname "$0")/../common.sh"

Tests/install-missing '/usr/include/openssl/ssl.h=libssl-dev' '/usr/bin/nm=binutils'
"$(c_compiler)" -std=c17 -Wall -Wextra -Werror -Wno-nullability-extension -fsyntax-only \
  -I Sources/COpenSSL/include -I Sources/COpenSSL .ci/openssl-header.c

# The real symbols, as dlsym(3) will look for them: libcrypto comes with libssl.
ssl=$(find /usr/lib /lib -name libssl.so.3 -print -quit)
crypto=$(find /usr/lib /lib -name libcrypto.so.3 -print -quit)
missing=$(comm -23 \
  <(grep -oE '\b(OPENSSL|SSL|TLS|X509|EVP|PEM|ERR|BIO)_\w+, ' Sources/COpenSSL/functions.h | tr -d ', ' \
    | grep -vE '^(SSL_CTX|SSL|BIO|BIO_METHOD|OPENSSL_INIT_SETTINGS)$' | sort -u) \
  <(nm --dynamic --defined-only "$ssl" "$crypto" | sed -E 's/.* //; s/@.*//' | sort -u))
[[ -z $missing ]] || { echo "$ssl lacks:"; echo "$missing"; exit 1; }
