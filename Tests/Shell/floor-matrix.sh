#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with probes that below the floor a statement is gone: at every floor, in every way to set it.
#
#   Tests/Shell/floor-matrix.sh [REGEX]     the builds that match: see Tests/Floor/matrix.py
#
# Prints `ok - TEXT` or `not ok - TEXT` for each cell. Tests a part of the product, or all of it where
# WINNOW_TEST_FULL is not empty.

set -euo pipefail
cd "$(dirname "$0")/../.."

exec python3 Tests/Floor/matrix.py ${WINNOW_TEST_FULL:+--full} "$@"
