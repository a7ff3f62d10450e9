#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The benchmarks beside other loggers build and run to their end with every peer, and what of their bounds is
# no time holds: no allocation, no lost record, no missing line, no call without a line or a loss. The
# times of a busy machine say nothing, and are not looked at.

source "$(dirname "$0")/../common.sh"

Tests/install-missing '/usr/include/spdlog/spdlog.h=libspdlog-dev' \
  '/usr/lib/*/pkgconfig/libsystemd.pc=libsystemd-dev' '/usr/bin/pkg-config=pkg-config' \
  '/lib/systemd/systemd-journald=systemd' '/usr/bin/jq=jq'
figures=$(mktemp)
trap 'rm -f "$figures"' EXIT
build=(-c release --package-path Benchmarks --scratch-path "$WINNOW_TEST_CLIENTS/benchmarks")
swift build "${build[@]}"
Tests/with-journal "$(swift build "${build[@]}" --show-bin-path)/Benchmarks" --quick --json "$figures"

skipped=$(jq -r '.skipped[]' "$figures")
[[ -z $skipped ]] || { echo "was left out: $skipped"; exit 1; }
jq -e '[.bar[] | select(.bound == "at most 0")] | length > 0 and all(.holds)' "$figures" >/dev/null || {
  echo 'a bound that is no time does not hold'
  exit 1
}
