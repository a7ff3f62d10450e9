#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The C is strict C17, but for the nullability of pointers, by which Swift imports them: for this
# processor, and for the other one that Winnow knows, as some of it is written for each.

source "$(dirname "$0")/../common.sh"

mapfile -t files < <(list_files 'Sources/C*/*.c')
((${#files[@]} > 0)) || skip 'there is no C'

compile() {
  local file
  for file in "${files[@]}"; do
    "$(c_compiler)" "$@" -std=c17 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror \
      -Wno-nullability-extension \
      -I Sources/CWinnow/include -I Sources/CSystemd/include -I Sources/CZlib/include \
      -I Sources/COpenSSL/include -I Sources/CWinnowInspection/include \
      -I Sources/CWinnowRedirect/include \
      -c -o /dev/null "$file"
  done
}

compile
case $(uname -m) in
  x86_64) other=aarch64 package=libc6-dev-arm64-cross ;;
  *) other=x86_64 package=libc6-dev-amd64-cross ;;
esac
Tests/install-missing "/usr/$other-linux-gnu/include/stdio.h=$package"
compile "--target=$other-linux-gnu" -isystem "/usr/$other-linux-gnu/include"
