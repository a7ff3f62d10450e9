#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The documentation builds, without a link that leads nowhere and without a name that no section lists.
#
# Winnow re-exports what users name of the floors, so all of them are documented as one module, and with
# them the products that users import besides: WinnowSwiftLog and WinnowTesting.

source "$(dirname "$0")/../common.sh"

tools=$(dirname "$(swift -print-target-info | jq -r .paths.runtimeResourcePath)")/../bin
[[ -x $tools/docc ]] || tools=$(dirname "$(command -v docc)") || skip 'the toolchain has no docc'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/graphs"

build_modules
for module in Winnow WinnowCore WinnowPipeline WinnowFormatters WinnowNetwork WinnowRedirect \
  WinnowSinks WinnowStore WinnowSwiftLog WinnowTesting; do
  [[ -d Sources/$module ]] || continue
  "$tools/swift-symbolgraph-extract" -module-name "$module" "${module_flags[@]}" \
    -target "$(swift -print-target-info | jq -r .target.triple)" \
    -minimum-access-level public -output-dir "$folder"
  jq '.module.name = "Winnow"' "$folder/$module.symbols.json" \
    >"$folder/graphs/$module.symbols.json"
done
"$tools/docc" convert Sources/Winnow/Winnow.docc --warnings-as-errors \
  --additional-symbol-graph-dir "$folder/graphs" --output-dir "$folder/out" \
  --fallback-display-name Winnow --fallback-bundle-identifier winnow

# What no section lists, docc puts into sections of its own making.
unlisted=$(jq -r '.topicSections[] | select(.generated) | .identifiers[]' \
  "$folder/out/data/documentation/winnow.json")
[[ -z $unlisted ]] || { printf 'no section "Topics" lists these:\n%s\n' "$unlisted"; exit 1; }
