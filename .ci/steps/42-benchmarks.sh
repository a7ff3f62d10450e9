#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The bounds that the README gives: a filtered call costs at most 6 instructions, the loop around it
# included, and a stripped one none; a thousand stripped statements leave no byte in the program and
# no record in its table. Nothing here is timed.

source "$(dirname "$0")/../common.sh"

Tests/install-missing '/usr/bin/valgrind=valgrind' '/usr/bin/readelf=binutils'
costs=$(Benchmarks/measure filtered stripped)
echo "$costs"
awk '
  $1 == "filtered" && $2 <= 6 {good += 1}
  $1 == "stripped" && $2 == 0 {good += 1}
  END {exit good != 2}' <<<"$costs"
Benchmarks/strip --check
