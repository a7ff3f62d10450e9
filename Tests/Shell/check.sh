# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What shell tests source, from the root of the checkout.

# Tests that the command, which is given after the text, succeeds.
check() {
  local text=$1
  shift
  if "$@"; then
    echo "ok - $text"
  else
    echo "not ok - $text"
  fi
}
