#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the README, the articles and the documentation comments show as Swift compiles.

source "$(dirname "$0")/../common.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
documents=()
while IFS= read -r file; do documents+=("$file"); done \
  < <(list_files README.md 'Sources/*.md' 'Sources/*.swift')
python3 .ci/fences.py "$folder" "${documents[@]}"

# With the traits of the tests, so that nothing is built anew.
read -ra flags <<<"--traits default,SwiftLog $WINNOW_TEST_SWIFT_FLAGS"
swift build "${flags[@]}"
modules=$(swift build "${flags[@]}" --show-bin-path)/Modules
includes=()
for include in Sources/*/include; do
  includes+=(-Xcc "-fmodule-map-file=$include/module.modulemap" -Xcc -I -Xcc "$include")
done
resources=$(swift -print-target-info | jq -r .paths.runtimeResourcePath)
check=(swiftc -typecheck -swift-version 6 -parse-as-library -suppress-warnings)
"${check[@]}" -I "$modules" "${includes[@]}" -plugin-path "$resources/host/plugins/testing" \
  .ci/fences.swift "$folder/Code.swift"
"${check[@]}" -package-description-version 6.3 -I "$resources/pm/ManifestAPI" "$folder/Manifest.swift"
