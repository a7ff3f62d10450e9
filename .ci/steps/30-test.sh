#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# All tests pass; with the flags of the build, so that nothing is built again.

source "$(dirname "$0")/../common.sh"

rm -rf "$WINNOW_TEST_CLIENTS" # some look for what a build has not made
exec ./Tests/run
