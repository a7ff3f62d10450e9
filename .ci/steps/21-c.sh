#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The C is strict C17, but for the nullability of pointers, by which Swift imports them: for this
# processor, and for the other one that Winnow knows, as some of it is written for each. The headers that
# a client of Winnow reads are also C23 and C++17, as a target with `.interoperabilityMode(.Cxx)` does.

source "$(dirname "$0")/../common.sh"

mapfile -t files < <(list_files 'Sources/C*/*.c')
mapfile -t headers < <(list_files 'Sources/C*/include/*.h')
((${#files[@]} > 0)) || skip 'there is no C'

readonly flags=(-Wall -Wextra -Wpedantic -Werror -Wno-nullability-extension
  -I Sources/CWinnow/include -I Sources/CSystemd/include -I Sources/CZlib/include
  -I Sources/COpenSSL/include -I Sources/CWinnowInspection/include
  -I Sources/CWinnowRedirect/include)

compile() {
  local file
  for file in "${files[@]}"; do
    "$(c_compiler)" "$@" -std=c17 -O2 -Wconversion "${flags[@]}" -c -o /dev/null "$file"
  done
}

# Compiles each header alone: what it needs, it includes.
compile_headers() {
  local header
  for header in "${headers[@]}"; do
    "$(c_compiler)" "$@" "${flags[@]}" -fsyntax-only - <<<"#include \"$header\""
  done
}

# Requires that C++ links with what C defines: no function has a name of C++, but for those of one file.
check_linkage() {
  local header status=0
  for header in "${headers[@]}"; do
    "$(c_compiler)" -x c++ -std=c++17 "${flags[@]}" -fsyntax-only -Xclang -ast-dump=json - \
      <<<"#include \"$header\"" \
      | grep -oE '"mangledName": "_Z[0-9]\w*"' | sed "s|^|$header: no extern \"C\": |" \
      && status=1
  done
  return "$status"
}

compile_headers -x c -std=c23
compile_headers -x c++ -std=c++17
check_linkage
compile
case $(uname -m) in
  x86_64) other=aarch64 package=libc6-dev-arm64-cross ;;
  *) other=x86_64 package=libc6-dev-amd64-cross ;;
esac
Tests/install-missing "/usr/$other-linux-gnu/include/stdio.h=$package"
compile "--target=$other-linux-gnu" -isystem "/usr/$other-linux-gnu/include"
