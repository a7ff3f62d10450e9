#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Everything builds, without a warning, and each target imports only what it declares.

source "$(dirname "$0")/../common.sh"

read -ra flags <<<"$WINNOW_TEST_SWIFT_FLAGS"
swift build --build-tests --traits default,SwiftLog "${flags[@]}"
