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

build_modules
resources=$(swift -print-target-info | jq -r .paths.runtimeResourcePath)
check=(swiftc -typecheck -swift-version 6 -parse-as-library -suppress-warnings)
"${check[@]}" "${module_flags[@]}" -plugin-path "$resources/host/plugins/testing" \
  .ci/fences.swift "$folder/Code.swift"
"${check[@]}" -package-description-version 6.3 -I "$resources/pm/ManifestAPI" "$folder/Manifest.swift"
