#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Swift is formatted as .swift-format says. With --fix, formats it.

source "$(dirname "$0")/../common.sh"

mapfile -t files < <(list_files '*.swift')
if [[ ${1-} == --fix ]]; then
  swift format format --in-place --parallel "${files[@]}"
else
  swift format lint --strict --parallel "${files[@]}"
fi
