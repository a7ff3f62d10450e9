#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the README shows of an example is what the example is, and what it prints; what it says that a call
# costs is what Benchmarks/thresholds.json holds, to within 3 %.

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

# The table behind a mark `<!-- thresholds: CASE... -->` has a row for each case, which ends with its number.
python3 - <<'PYTHON'
import json
import re
import sys

thresholds = json.load(open("Benchmarks/thresholds.json"))
mark, rows = re.search(r"<!-- thresholds: (.*) -->\n(?:\|.*\n){2}((?:\|.*\n)+)", open("README.md").read()).groups()
cases, rows = mark.split(), rows.splitlines()
shown = [float(row.split("|")[-2].replace(" ", "")) for row in rows]
wrong = [
    f"README.md says {number:g} instructions of {case!r}, thresholds.json {thresholds[case]:g}"
    for case, number in zip(cases, shown)
    if abs(number - thresholds[case]) > 0.03 * thresholds[case]
]
if len(cases) != len(rows):
    wrong.append(f"README.md has {len(rows)} rows for the cases {mark}")
sys.exit("\n".join(wrong) or None)
PYTHON
