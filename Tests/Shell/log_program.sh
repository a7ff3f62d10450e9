# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What shell tests of LogProgram source, from the root of the checkout: builds it and winnow, unless
# WINNOW_TEST_BUILT says that they are, and sets `program` and `winnow` to their paths and `work` to a folder that
# goes when the test ends.

read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
readonly flags=(--traits 'default,SwiftLog' "${more[@]}")
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product LogProgram "${flags[@]}" >&2
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product winnow "${flags[@]}" >&2
program=$(swift build "${flags[@]}" --show-bin-path)/LogProgram
winnow=${program%/*}/winnow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2034 # who sources this uses them
readonly program winnow work
ulimit -c 0
