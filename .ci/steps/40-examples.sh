#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The examples build as a user's package does, and the demonstration shows what it promises: it ends
# with status 0 and a last line that says that all of its checks passed.

source "$(dirname "$0")/../common.sh"

[[ -f Examples/Package.swift ]] || skip 'there is no package Examples yet'
swift build --package-path Examples

[[ -x Examples/demo ]] || skip 'the examples build; there is no Examples/demo yet'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
./Examples/demo 2>&1 | tee "$log"
[[ $(grep -v '^ *$' "$log" | tail -n 1) == 'demo: all '*' checks passed' ]] || {
  echo 'Examples/demo: the last line does not say that all checks passed'
  exit 1
}
