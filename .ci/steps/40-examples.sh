#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The demonstration gets what the examples need, builds them as a user's package is built, and shows
# what it promises: it ends with status 0 and a last line that says that all of its checks passed.
# With --ahead, only builds what takes longest.

source "$(dirname "$0")/../common.sh"

if [[ ${1-} == --ahead ]]; then
  exec swift build --package-path Examples "$WINNOW_TEST_DEMO_FLAGS" --product Service
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
./Examples/demo 2>&1 | tee "$log"
[[ $(grep -v '^ *$' "$log" | tail -n 1) == 'demo: all '*' checks passed' ]] || {
  echo 'Examples/demo: the last line does not say that all checks passed'
  exit 1
}
