#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CONTRIBUTING.md lists the threads and the locks as they are.

source "$(dirname "$0")/../common.sh"

python3 .ci/threads.py
