#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CSystemd and CZlib, which no build holds against the libraries that they bind with dlopen(3), declare
# what the libraries' headers declare, and the libraries have every function by that name.

source "$(dirname "$0")/../common.sh"

Tests/install-missing '/usr/include/systemd/sd-journal.h=libsystemd-dev' \
  '/usr/include/zlib.h=zlib1g-dev' '/usr/bin/nm=binutils'

# Compares a target, one of its headers and the prefix of its functions with a library.
compare() {
  local target=$1 header=$2 prefix=$3 file=$4 library missing
  "$(c_compiler)" -std=c17 -Wall -Wextra -Werror -Wno-nullability-extension -fsyntax-only \
    -I "Sources/$target/include" -I "Sources/$target" "$header"
  # The real symbols, as dlsym(3) will look for them.
  library=$(find /usr/lib /lib -name "$file" -print -quit)
  missing=$(comm -23 \
    <(sed -nE "s/^ +each\((\w+),? *.*/$prefix\1/p" "Sources/$target/functions.h" | sort) \
    <(nm --dynamic --defined-only "$library" | sed -E 's/.* //; s/@.*//' | sort))
  [[ -z $missing ]] || { echo "$library lacks:"; echo "$missing"; exit 1; }
}

compare CSystemd .ci/systemd-header.c sd_journal_ libsystemd.so.0
compare CZlib .ci/zlib-header.c '' libz.so.1
