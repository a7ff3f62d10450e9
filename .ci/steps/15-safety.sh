#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is public says which threads may call it, and whether signal handlers may.

source "$(dirname "$0")/../common.sh"

list_files 'Sources/*.swift' | python3 .ci/safety.py
