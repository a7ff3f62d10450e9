#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with a package of its own that a program which imports only Winnow can read the journal,
# needs nothing of libsystemd's to build, and has no reader without the trait `Systemd`.
#
#   Tests/Shell/reader-is-optional.sh
#
# Prints `ok - TEXT` or `not ok - TEXT` for each test; what a failed build said goes to stderr.
#
# Environment: WINNOW_TEST_CLIENTS  the scratch paths of clients: see Tests/run

set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly app=$work/app clients=${WINNOW_TEST_CLIENTS:-$work/clients}
checkout=$(pwd)

# Tests that the command, which is given after the text, succeeds.
check() {
  local text=$1
  shift
  if "$@"; then
    echo "ok - $text"
  else
    echo "not ok - $text"
  fi
}

# Writes a package whose dependency on this checkout has the arguments, with a program on stdin.
write_package() {
  mkdir -p "$app/Sources/Reader"
  cat >"$app/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "Reader",
    dependencies: [.package(name: "winnow", path: "$checkout"$1)],
    targets: [
        .executableTarget(
            name: "Reader",
            dependencies: [.product(name: "Winnow", package: "winnow")]
        )
    ]
)
MANIFEST
  cat >"$app/Sources/Reader/main.swift"
}

# Builds the package in a scratch path.
build() {
  swift build --package-path "$app" --scratch-path "$1" --disable-index-store >"$work/output" 2>&1 \
    || { cat "$work/output" >&2; return 1; }
}

# The headers that were read are listed beside each object file.
read_no_header() {
  local lists
  lists=$(find "$clients/debug/" -path '*CSystemd.build*' -name '*.d')
  [[ -n $lists ]] || return 1
  # shellcheck disable=SC2086 # one word a file
  ! grep -l 'systemd/sd-' $lists
}

program=$clients/debug/debug/Reader

# The program says what it has logged once the journal has it, or what keeps it from that.
write_package '' <<'PROGRAM'
import Winnow
let identifier = CommandLine.arguments[1]
Log("app").error("to be read back", ("port", 80))
do {
    let matches: [LogStore.Match] = [.identifier(identifier), .levels(.upTo(.error))]
    for try await entry in LogStore.journal.follow(matching: matches, from: .boot) {
        print(entry.message, entry["PORT"] ?? "", entry.level ?? .debug)
        break
    }
} catch {
    print("error:", error)
}
PROGRAM
check 'a package that imports only Winnow builds with the reader' build "$clients/debug"
check 'it was built without a header of libsystemd' read_no_header
check 'it is not linked with libsystemd' eval "! ldd '$program' | grep -c systemd >/dev/null"
check 'it tells packagers of libsystemd' \
  eval "readelf -p .note.dlopen '$program' | grep -cF 'libsystemd.so.0' >/dev/null"

if [[ ${WINNOW_TEST_JOURNAL-} == 1 ]]; then
  identifier=winnow-reader-$$-$RANDOM
  WINNOW_SINKS=journald WINNOW_IDENTIFIER=$identifier timeout 60 "$program" "$identifier" \
    >"$work/output" 2>&1 || true
  check 'it reads back what it has logged' grep -qxF 'to be read back 80 error' "$work/output"
else
  echo 'skip - it reads back what it has logged (no journald in reach: run ./Tests/run)'
fi

write_package ', traits: []' <<'PROGRAM'
import Winnow
Log("app").error("without a reader")
PROGRAM
readonly without=$work/without
program=$without/debug/Reader
check 'without the trait it builds as well' build "$without"
check 'and logs' eval "WINNOW_SINKS=stderr '$program' 2>&1 | grep -cF 'without a reader' >/dev/null"
check 'neither the reader nor libsystemd is in it' \
  eval "! readelf -p .note.dlopen '$program' 2>/dev/null | grep -cF libsystemd >/dev/null"
check 'the reader was not built' \
  eval "[[ -z \$(find '$without/' -name 'WinnowStore.swiftmodule' -o -path '*CSystemd*.o') ]]"
