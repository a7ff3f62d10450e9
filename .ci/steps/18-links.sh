#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What doc comments link to is declared.

source "$(dirname "$0")/../common.sh"

python3 .ci/links.py
