#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with a package of its own that a program which imports only Winnow can read the journal and
# needs nothing of libsystemd's to build; and that a program without Winnow's default traits has
# neither the reader nor the redirect nor syslog over the network nor the recorder.
#
#   Tests/Shell/traits.sh
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

# shellcheck source=check.sh
source Tests/Shell/check.sh

# Writes a package whose dependency on this checkout has the arguments, with a program on stdin, and a
# library that its tests would use.
write_package() {
  mkdir -p "$app/Sources/Reader" "$app/Sources/Tested"
  echo 'import WinnowTesting' >"$app/Sources/Tested/Tested.swift"
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
        ),
        .target(
            name: "Tested",
            dependencies: [.product(name: "WinnowTesting", package: "winnow")]
        ),
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
Log("app").error("without the traits")
print("printed")
PROGRAM
readonly without=$work/without
program=$without/debug/Reader

# The program's records and what it prints, with a variable.
run_without() {
  env WINNOW_SINKS=stderr "$1" "$program" 2>&1
}

# Prints which targets that a trait switches off were built in the scratch path.
optional_targets() {
  find "$1/" -path '*.build/*.o' -printf '%P\n' \
    | grep -oE '\<(WinnowStore|CSystemd|C?WinnowRedirect|WinnowNetwork|COpenSSL|WinnowRecovery)\.build/' | sort -u
}

check 'without the traits it builds as well' build "$without"
check 'and logs' eval "run_without WINNOW_REDIRECT=off | grep -cF 'without the traits' >/dev/null"
check 'neither libsystemd nor OpenSSL is in it' \
  eval "! readelf -p .note.dlopen '$program' 2>/dev/null | grep -cE 'libsystemd|libssl' >/dev/null"
check 'nor does it need the engine for regular expressions' \
  eval "! nm -D --undefined-only '$program' | grep -c _StringProcessing >/dev/null"
check 'which a program with the redirect needs' \
  eval "nm -D --undefined-only '$clients/debug/debug/Reader' | grep -c _StringProcessing >/dev/null"
check 'a build with the traits has all seven targets' \
  eval "[[ \$(optional_targets '$clients/debug' | wc -l) == 7 ]]"
check 'a build without them has none' eval "[[ -z \$(optional_targets '$without') ]]"
check 'who asks for the redirect is told which trait has it' \
  eval "run_without 'WINNOW_REDIRECT=*=drop' | grep -cF \"WINNOW_REDIRECT: '*=drop': this build has no redirect, which needs the trait\" >/dev/null"
check 'and what is printed is printed' eval "run_without 'WINNOW_REDIRECT=*=drop' | grep -cxF printed >/dev/null"
check 'who asks for the recorder is told which trait has it' \
  eval "run_without WINNOW_RECORDER=/run/app | grep -cF \"WINNOW_RECORDER: '/run/app': this build has no recorder, which needs the trait Recorder\" >/dev/null"
check 'who asks for no redirect is told nothing' \
  eval "! run_without WINNOW_REDIRECT=off | grep -cF WINNOW_REDIRECT >/dev/null"
readonly server=syslog+tcp://localhost:1
check 'who asks for a server of syslog is told which trait has it' \
  eval "run_without WINNOW_SINKS=$server | grep -cF \"WINNOW_SINKS: '$server': this build has no syslog over the network, which needs the trait Network\" >/dev/null"
check 'and the records are on stderr' \
  eval "run_without WINNOW_SINKS=$server | grep -cF 'without the traits' >/dev/null"
