#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A program that logs does not carry Foundation.

source "$(dirname "$0")/../common.sh"

readonly example=QuickStart
[[ -d Examples/Sources/$example ]] || skip "there is no example $example yet"
options=(--package-path Examples -c release --product "$example")
swift build "${options[@]}"
libraries=$(ldd "$(swift build "${options[@]}" --show-bin-path)/$example")
echo "$libraries"
! grep -E 'libFoundation|lib_FoundationICU' <<<"$libraries"
