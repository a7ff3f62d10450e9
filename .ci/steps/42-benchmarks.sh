#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# No call costs over 3 % more instructions than Benchmarks/thresholds.json says; and the bounds that
# Benchmarks/README.md gives: a filtered call costs at most 6 instructions, the loop around it included,
# and a stripped one none; of what `print` costs without a redirect, a line that passes costs at most 1.1
# times as much, a dropped one less, a logged one at most 1.6 times as much; a thousand stripped
# statements leave no byte in the program and no record in its table; a program that does not log has no
# thread, handler or allocation of Winnow's, and the first record takes no more than Benchmarks/start says.
# None of this is timed. Beside swift-log in this run, a program is not larger and its first build not much
# slower than Benchmarks/weights.json says.

source "$(dirname "$0")/../common.sh"

Tests/install-missing '/usr/bin/valgrind=valgrind' '/usr/bin/readelf=binutils' '/usr/bin/strace=strace'
costs=$(Benchmarks/measure --check) || { echo "$costs"; exit 1; }
echo "$costs"
awk '
  {cost[$1] = $2}
  END {
    exit !(cost["filtered"] <= 6 && cost["stripped"] == 0 && "stripped" in cost && cost["printed"] > 0 \
      && cost["print-passed"] <= 1.1 * cost["printed"] && cost["print-dropped"] < cost["printed"] \
      && cost["print-logged"] <= 1.6 * cost["printed"])
  }' <<<"$costs" || { echo 'a bound of Benchmarks/README.md does not hold'; exit 1; }
Benchmarks/strip --check
Benchmarks/start --check
Benchmarks/weight --check
