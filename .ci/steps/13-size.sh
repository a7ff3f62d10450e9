#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Files and functions are short enough to be read at once.

source "$(dirname "$0")/../common.sh"

list_files 'Sources/*' 'Tests/*' 'Examples/*' 'Benchmarks/*' 'Fuzz/*' '.ci/*' Package.swift ':!*.svg' \
  | python3 .ci/size.py
