#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The C is strict C17, but for the nullability of pointers, by which Swift imports them.

source "$(dirname "$0")/../common.sh"

# A toolchain has its clang beside its swift, which may be a link or a proxy elsewhere.
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
clang=${resources%/lib/swift}/bin/clang
[[ -x $clang ]] || clang=$(command -v clang)

mapfile -t files < <(list_files 'Sources/CWinnow*/*.c')
((${#files[@]} > 0)) || skip 'there is no C'
"$clang" -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror \
  -Wno-nullability-extension -fsyntax-only \
  -I Sources/CWinnow/include -I Sources/CWinnowInspection/include "${files[@]}"
