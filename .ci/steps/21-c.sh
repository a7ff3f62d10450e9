#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The C is strict C17, but for the nullability of pointers, by which Swift imports them.

source "$(dirname "$0")/../common.sh"

mapfile -t files < <(list_files 'Sources/C*/*.c')
((${#files[@]} > 0)) || skip 'there is no C'
"$(c_compiler)" -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror \
  -Wno-nullability-extension -fsyntax-only \
  -I Sources/CWinnow/include -I Sources/CSystemd/include -I Sources/CWinnowInspection/include \
  "${files[@]}"
