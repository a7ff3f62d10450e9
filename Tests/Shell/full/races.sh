#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests of the core and of the pipeline once more under the thread sanitizer.
#
#   Tests/Shell/full/races.sh
#
# Builds all tests again: some ten minutes. Prints `ok - TEXT` or `not ok - TEXT` for each test, and behind
# the latter what it says.

set -euo pipefail
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly work flags=(--traits 'default,SwiftLog' --sanitize=thread --scratch-path "$work/build")
swift build --build-tests "${flags[@]}" >&2
tests=$(swift build "${flags[@]}" --show-bin-path)/WinnowPackageTests.xctest

# Prints the verdict of a test on the run, and where it fails the first lines of the output that match.
verdict() {
  local text=$1 pattern=$2
  shift 2
  if "$@"; then
    echo "ok - $text"
  else
    echo "not ok - $text"
    grep -A 12 -E "$pattern" "$work/out" | sed -n 1,60p | sed 's/^/    /'
  fi
}

# Their own soak of ten million would take hours here. Under the sanitizer Swift takes a lock at each access
# to a global, which a child finds held for ever where another thread was about one when the parent forked:
# so the tests that fork are left out; so are one that counts mappings and one that counts page faults, as the
# sanitizer has some of its own for each thread and each page.
status=0
env -u WINNOW_TEST_FULL TSAN_OPTIONS='detect_deadlocks=0 halt_on_error=0 exitcode=66' \
  "$tests" --testing-library swift-testing --filter 'WinnowCoreTests|WinnowPipelineTests' \
  --skip 'fork|what a thread maps|takes no page fault' \
  </dev/null >"$work/out" 2>&1 || status=$?

# shellcheck disable=SC2317 # the verdict calls it
has_no_race() {
  ! grep -q 'WARNING: ThreadSanitizer' "$work/out" && ((status != 66))
}
# shellcheck disable=SC2317
has_passed() {
  grep -qE '^✔ Test run with [1-9][0-9]* tests? ' "$work/out" && ((status == 0))
}
verdict 'the thread sanitizer has nothing to say of the tests of the core and the pipeline' \
  'WARNING: ThreadSanitizer' has_no_race
verdict "they pass under it: $(grep -oE 'Test run with [0-9]+ tests' "$work/out" | tail -n 1)" '^✘' has_passed
