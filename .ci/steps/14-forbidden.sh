#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the design rules out is not there: each rule is a pattern, where it holds, and where it does
# not.

source "$(dirname "$0")/../common.sh"

status=0

# Requires that no line of the files on stdin matches $2, in which no end of a line counts; comments do
# not count. $1 says why.
forbid() {
  local why=$1 pattern=$2 file found suspects
  mapfile -t suspects < <(tr '\n' '\0' | xargs -0 -r grep -lP -e "$pattern" --)
  for file in "${suspects[@]}"; do
    found=$(sed -E 's,(^|[[:space:]])//.*,\1,' "$file" | grep -nP "$pattern") || continue
    # shellcheck disable=SC2001 # it prefixes each line
    sed "s|^|$file:|" <<<"$found"
    echo "  ^ $why"
    status=1
  done
}

# Prints the files on stdin that are under none of the paths $@.
except() {
  local file path
  while IFS= read -r file; do
    for path in "$@"; do
      [[ $file != "$path"* ]] || continue 2
    done
    printf '%s\n' "$file"
  done
}

swift_sources() {
  list_files 'Sources/*.swift'
}

forbid 'Foundation stays out of what a program must link' \
  '^\s*(@\w+\s+)*((public|package|internal|private|fileprivate)\s+)?import\s+((struct|class|func|enum|protocol|let|var|typealias)\s+)?Foundation' \
  < <(swift_sources | except Sources/WinnowSwiftLog/ Sources/WinnowTesting/ Sources/WinnowTool/ \
    Sources/WinnowInspection/)
forbid 'tests use what users and other floors use: public and package' \
  '@testable|^\s*import XCTest' < <(list_files '*.swift')
forbid 'an error is handled or thrown on' '\btry!' < <(list_files '*.swift')
forbid 'a logger does not print' '(?<![\w.])(Swift\.)?(print|debugPrint|dump)\(' \
  < <(swift_sources | except Sources/WinnowTool/)
forbid 'a build has one shape; only these floors know traits and libc' '^\s*#\s*(if|ifdef|ifndef)\b' \
  < <(list_files 'Sources/*.swift' 'Sources/*.c' \
    | except Sources/WinnowCore/Level+StaticMaximum.swift Sources/CWinnow/ Sources/CWinnowRedirect/ \
      Sources/WinnowSwiftLog/ \
      Sources/Winnow/Exports.swift Sources/Winnow/Network/ Sources/Winnow/Recorder/ Sources/Winnow/Redirect/)
forbid 'a time of the delivery stands with its reason in Base/Bounds.swift' \
  '(?<!/ )\b\d[\d_]*_000\b' \
  < <(list_files 'Sources/WinnowPipeline/*.swift' | except Sources/WinnowPipeline/Base/Bounds.swift)
forbid 'the name says nothing about what it does' \
  '\b(struct|class|enum|actor|protocol|typealias)\s+\w*(Manager|Helper|Utils?)\b' \
  < <(list_files '*.swift')
forbid 'a pipe whose reader leaves early fails by SIGPIPE now and then: grep -c, sed -n 1p' \
  '(?<!\|)\|\s*(grep\s+-\w*q|head\b|awk\b.*\bexit\b)' \
  < <(list_files | xargs grep -l '^set -.*pipefail' --)
forbid 'a path of one machine' '(?<![\w.~}*)/-])/(home|root|opt|work|mnt|Users)/\w' \
  < <(list_files | except LICENSE)

# Swift's symbols are protected; with others, the linker joins the state of two images in part.
if list_files 'Sources/*.c' | xargs grep -L '^#pragma GCC visibility push(protected)$' | grep .; then
  echo '  ^ what C defines is of its own image: #pragma GCC visibility push(protected)'
  status=1
fi
if list_files 'Sources/*' 'Tests/*' | grep -E '(Manager|Helper|Utils?)[^/]*$'; then
  echo '  ^ the file name says nothing about what is in it'
  status=1
fi
exit "$status"
