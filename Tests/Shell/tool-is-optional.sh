#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with a package of its own that who depends on Winnow neither fetches nor builds what only
# the tool `winnow` needs, and that a clone has the tool with `swift run winnow`.
#
#   Tests/Shell/tool-is-optional.sh
#
# The package depends on this checkout, as it is now, by the URL and the version of a repository.
# Prints `ok - TEXT` or `not ok - TEXT` for each test; what a failed build said goes to stderr.

set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly repository=$work/winnow app=$work/app

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

write_package() {
  mkdir -p "$app/Sources/App"
  cat >"$app/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "App",
    dependencies: [$1],
    targets: [
        .executableTarget(name: "App", dependencies: [.product(name: "Winnow", package: "winnow")])
    ]
)
MANIFEST
  cat >"$app/Sources/App/main.swift" <<'PROGRAM'
import Winnow
Log("app").error("without the tool")
PROGRAM
}

build_or_show() {
  swift build --package-path "$app" >"$work/output" 2>&1 || { cat "$work/output" >&2; return 1; }
}

# Tests what the build of the package has left; $1 says how it depends on Winnow.
check_package() {
  check "a package that depends on Winnow by its $1 builds" build_or_show
  check "with the $1, swift-argument-parser is not resolved" \
    absent grep swift-argument-parser "$app/Package.resolved"
  check "with the $1, swift-argument-parser is not fetched" absent find "$app/.build/checkouts" \
    "$app/.build/repositories" -maxdepth 1 -name 'swift-argument-parser*'
  check "with the $1, neither it nor the tool is built" absent find "$app/.build/" \
    \( -name 'ArgumentParser*' -o -name '*WinnowInspection.build' -o -name winnow.build \)
}

publish_checkout
write_package ".package(url: \"file://$repository\", from: \"1.0.0\")"
check_package URL

rm -rf "$app"
write_package ".package(name: \"winnow\", path: \"$repository\")"
check_package path

runs_in_a_clone() {
  local flags
  # Those of the checkout's other builds, so that nothing is built twice.
  read -ra flags <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
  swift run --enable-all-traits "${flags[@]}" winnow stripped "$app/.build/debug/App" \
    >"$work/output" 2>&1 && grep -q '^1 statement' "$work/output" && return
  cat "$work/output" >&2
  return 1
}
check 'swift run winnow runs the tool in a clone' runs_in_a_clone
