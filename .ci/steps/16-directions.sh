#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The folders of a module name each other in one direction.

source "$(dirname "$0")/../common.sh"

python3 .ci/directions.py
