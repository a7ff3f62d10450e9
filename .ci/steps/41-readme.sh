#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the README shows of an example is what the example is, and what it prints.

source "$(dirname "$0")/../common.sh"

# The lines of the block behind a mark `<!-- from: FILE -->`.
block() {
  awk -v mark="<!-- from: $1 -->" '
    $0 == mark {found = 1; next}
    found && /^```/ {if (inside) exit; inside = 1; next}
    inside {print}' README.md
}

readonly example=Examples/Sources/QuickStart/main.swift
shown=$(block "$example")
[[ -n $shown ]] || { echo "README.md shows nothing of $example"; exit 1; }
source_text=$(<"$example")
[[ $source_text == *"$shown"* ]] || { echo "README.md differs from $example"; exit 1; }

swift build --package-path Examples "$WINNOW_TEST_DEMO_FLAGS" --product QuickStart
# The time is masked: it is all that differs from run to run.
mask() {
  sed -E 's/^[0-9-]{10}T[0-9:.]{15}Z/TIME/'
}
printed=$(env -i "PATH=$PATH" Examples/.build/debug/QuickStart 2>&1 | mask)
promised=$(grep -E '^[0-9-]{10}T[0-9:.]{15}Z [a-z]+ +\[quickstart\]' README.md | mask)
if [[ $printed != "$promised" ]]; then
  echo 'README.md shows other lines than QuickStart prints:'
  diff <(echo "$promised") <(echo "$printed")
fi
