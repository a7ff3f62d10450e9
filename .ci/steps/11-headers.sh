#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every source file and script names its license in its first line, or in its second after a
# shebang or the tools version of a manifest.

source "$(dirname "$0")/../common.sh"

readonly license='SPDX-License-Identifier: Apache-2.0'
status=0
while IFS= read -r file; do
  { IFS= read -r first && IFS= read -r second; } <"$file" || true
  case $first in
    '#!'* | '// swift-tools-version'*) line=$second ;;
    *) line=$first ;;
  esac
  if [[ $line != "// $license" && $line != "# $license" ]]; then
    echo "$file: the line '// $license' is missing at the top"
    status=1
  fi
done < <({
  list_files '*.swift' '*.c' '*.h' '*.sh' '*.py'
  list_scripts
} | sort -u)
exit "$status"
