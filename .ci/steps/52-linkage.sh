#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A program that logs does not carry Foundation, and each of its threads only little of Winnow's: what a
# thread has for itself comes off its stack, and a plugin that needs much is not loaded at all.

source "$(dirname "$0")/../common.sh"

readonly most_thread_bytes=1024

# A debug program and a release one, both of which other steps build as well.
swift build --package-path Examples "$WINNOW_TEST_DEMO_FLAGS" --product QuickStart
release=(--package-path Benchmarks/CallCost -c release -Xlinker --strip-debug
  --scratch-path "$WINNOW_TEST_CLIENTS/release")
swift build "${release[@]}"
for program in Examples/.build/debug/QuickStart \
  "$(swift build "${release[@]}" --show-bin-path)/CallCost"; do
  libraries=$(ldd "$program")
  printf '%s\n%s\n' "$program" "$libraries"
  ! grep -E 'libFoundation|lib_FoundationICU' <<<"$libraries" || exit 1
  size=$(readelf -lW "$program" | awk '$1 == "TLS" { print $6 }')
  echo "thread-local: ${size:-0x0} bytes"
  ((${size:-0x0} <= most_thread_bytes)) || exit 1
done
