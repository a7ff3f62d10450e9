#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ShellCheck has nothing to say about any script.

source "$(dirname "$0")/../common.sh"

Tests/install-missing /usr/bin/shellcheck=shellcheck
mapfile -t files < <({
  list_files '*.sh'
  list_scripts | xargs -r grep -lE '^#!.*\b(ba)?sh\b'
} | sort -u)
shellcheck --external-sources --source-path=SCRIPTDIR "${files[@]}"
