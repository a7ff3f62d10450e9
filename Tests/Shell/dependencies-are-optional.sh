#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with packages of their own that who uses only Winnow neither fetches nor builds swift-log or
# what only the tool `winnow` needs; that the trait `SwiftLog` is all it takes to have swift-log, and
# that a clone has the tool with `swift run winnow`.
#
#   Tests/Shell/dependencies-are-optional.sh
#
# One package depends on this checkout, as it is now, by the URL and the version of a repository, the
# other by its path. Prints `ok - TEXT` or `not ok - TEXT` for each test; what a failed build said goes
# to stderr.
#
# Environment: WINNOW_TEST_CLIENTS  the scratch paths of clients: see Tests/run

set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly repository=$work/winnow app=$work/app by_path=$work/by-path checkout=$PWD
readonly clients=${WINNOW_TEST_CLIENTS:-$work/clients}

# shellcheck source=check.sh
source Tests/Shell/check.sh

absent() {
  [[ -z $("$@" 2>/dev/null) ]]
}

publish_checkout() {
  mkdir -p "$repository"
  # A file that is deleted but still in the index is not copied.
  git ls-files -z --cached --others --exclude-standard -- Package.swift Sources Tests \
    | tar --null --files-from=- --ignore-failed-read -c 2>/dev/null | tar -x -C "$repository"
  git -C "$repository" init -q
  git -C "$repository" add -A
  git -C "$repository" -c user.name=test -c user.email=test@example.org commit -q -m snapshot
  git -C "$repository" tag 1.0.0
}

# Writes the manifest of the package: its arguments of the dependency, and the products it uses.
write_manifest() {
  local arguments=$1 more_packages=$2 products=$3
  cat >"$app/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "App",
    dependencies: [
        .package(url: "file://$repository", from: "1.0.0"$arguments),
        $more_packages
    ],
    targets: [.executableTarget(name: "App", dependencies: [$products])]
)
MANIFEST
}

write_swift_log_program() {
  cat >"$app/Sources/App/main.swift" <<'PROGRAM'
import Logging
import WinnowSwiftLog
LoggingSystem.bootstrap(WinnowLogHandler.init(label:))
let logger = Logger(label: "app.net")
logger.error("by way of swift-log", metadata: ["port": .stringConvertible(80)])
logger.debug("details")
PROGRAM
}

build() {
  swift build --package-path "$app" --disable-index-store >"$work/output" 2>&1
}

build_or_show() {
  build || { cat "$work/output" >&2; return 1; }
}

prints() {
  WINNOW_SINKS=stderr WINNOW_LOG=${filter:-debug} "$app/.build/debug/App" >"$work/output" 2>&1 || return 1
  grep -qF "$1" "$work/output" || { cat "$work/output" >&2; return 1; }
}

says_which_trait() {
  grep -qF 'add traits: [.defaults, "SwiftLog"] to your dependency on Winnow' "$work/output"
}

# Tests that the package $2, which was built in the scratch path $3, has nothing of the tool; $1 says how
# it depends on Winnow.
check_tool() {
  check "with the $1, swift-argument-parser is not resolved" \
    absent grep swift-argument-parser "$2/Package.resolved"
  check "with the $1, swift-argument-parser is not fetched" absent find "$3/checkouts" \
    "$3/repositories" -maxdepth 1 -name 'swift-argument-parser*'
  check "with the $1, neither it nor the tool is built" absent find "$3/" \
    \( -name 'ArgumentParser*' -o -name '*WinnowInspection.build' -o -name winnow.build \)
}

write_package_by_path() {
  mkdir -p "$by_path/Sources/ByPath"
  cat >"$by_path/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "ByPath",
    dependencies: [.package(name: "winnow", path: "$checkout")],
    targets: [.executableTarget(name: "ByPath", dependencies: [$winnow])]
)
MANIFEST
  cat >"$by_path/Sources/ByPath/main.swift" <<'PROGRAM'
import Winnow
Log("app").error("without the tool")
PROGRAM
}

build_by_path() {
  swift build --package-path "$by_path" --scratch-path "$clients/debug" --disable-index-store \
    >"$work/output" 2>&1 || { cat "$work/output" >&2; return 1; }
}

runs_in_a_clone() {
  local flags
  # Those of the checkout's other builds, so that nothing is built twice.
  read -ra flags <<<"--traits default,SwiftLog ${WINNOW_TEST_SWIFT_FLAGS-}"
  swift run "${flags[@]}" winnow stripped "$clients/debug/debug/ByPath" \
    >"$work/output" 2>&1 && grep -q '^1 statement' "$work/output" && return
  cat "$work/output" >&2
  return 1
}

readonly winnow='.product(name: "Winnow", package: "winnow")'
readonly bridge='.product(name: "WinnowSwiftLog", package: "winnow")'
readonly logging='.product(name: "Logging", package: "swift-log")'
readonly swift_log='.package(url: "https://github.com/apple/swift-log", from: "1.16.0")'

publish_checkout
mkdir -p "$app/Sources/App"

write_manifest '' '' "$winnow"
cat >"$app/Sources/App/main.swift" <<'PROGRAM'
import Winnow
Log("app").error("without swift-log", ("port", 80))
PROGRAM
check 'a package that uses only Winnow builds' build_or_show
check 'it logs' prints 'without swift-log'
check 'its resolved versions name nothing but Winnow' \
  test "$(grep -c '"identity"' "$app/Package.resolved")" = 1
check 'swift-log was not fetched' \
  absent find "$app/.build/checkouts" "$app/.build/repositories" -maxdepth 1 -name 'swift-log*'
check 'swift-log was not built' \
  absent find "$app/.build/" \( -name 'Logging.build' -o -name 'Logging.swiftmodule' \)
check_tool URL "$app" "$app/.build"

write_manifest '' "$swift_log" "$bridge, $logging"
write_swift_log_program
check 'without the trait the backend does not build' eval '! build'
check 'the error says which trait is missing' says_which_trait

write_manifest ', traits: [.defaults, "SwiftLog"]' "$swift_log" "$bridge, $logging"
check 'with the trait it builds' build_or_show
check 'what is logged through swift-log arrives' prints 'by way of swift-log'
check 'its metadata arrive as fields' prints 'port=80'
check 'WINNOW_LOG opens a level by label' eval "filter=error,app.net=debug prints 'details'"
check 'WINNOW_LOG closes a level by label' \
  eval "! filter=debug,app=error prints 'details' 2>/dev/null"

write_package_by_path
check 'a package that depends on Winnow by its path builds' build_by_path
check_tool path "$by_path" "$clients/debug"
check 'swift run winnow runs the tool in a clone' runs_in_a_clone
