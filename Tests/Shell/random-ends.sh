#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Ends a process at a random moment while eight threads log, in each way and in both modes of delivery, and has
# `winnow verify --complete` prove that each record with a number is in the log, or is reported there as lost; on a
# busy machine, on stderr.
#
#   Tests/Shell/random-ends.sh
#
# Each way runs twice in each mode, 100 times where WINNOW_TEST_FULL is not empty; what takes seconds once and
# 20 times. Prints `ok - TEXT` or `not ok - TEXT` for each test.

set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=log_program.sh
source Tests/Shell/log_program.sh
readonly rounds=${WINNOW_TEST_FULL:+100} few=${WINNOW_TEST_FULL:+20}
export WINNOW_SINKS="file:$work/log?format=json" SWIFT_BACKTRACE=enable=no

# Runs the program with the tasks, and waits for all of its processes: its stdout ends with the last one.
run() {
  rm -f "$work/log"
  env --default-signal "$program" "$@" 2>"$work/err" | cat >"$work/out"
}

# A pause of up to a twentieth of a second, as a task.
at_random() { printf 'sleep=0.%03d' $((RANDOM % 50)); }

# Whether the log is complete, of as many runs of the program as are to be in it. On a busy machine the sink may
# have no time to take the last report: then stderr says how many records are lost, and as many are missing.
is_proven() {
  local missing told
  "$winnow" verify --complete "$work/log" >"$work/verdict" 2>&1 || {
    missing=$(sed -nE 's/.* FAILS: ([0-9]+) numbers? (is|are) missing without a report$/\1/p' "$work/verdict")
    told=$(sed -nE 's/^winnow: file:.*: lost ([0-9]+) records? .*/\1/p' "$work/err" \
      | awk '{sum += $1} END {printf "%.0f", sum}')
    [[ -n $missing && $missing == "$told" ]] || return 1
  }
  grep -qE "^ *$1 runs?, " "$work/verdict"
}

# Tests that so many ends lose nothing without a report. The task at-random is a pause of random length.
check() {
  local text=$1 count=$2 runs=$3 round tasks records=0
  shift 3
  for ((round = 1; round <= count; round++)); do
    mapfile -t tasks < <(for task; do [[ $task == at-random ]] && at_random && echo || echo "$task"; done)
    # What bash says of a process that a signal has ended is no news.
    { run no-status "${tasks[@]}" || true; } 2>/dev/null
    if ! is_proven "$runs"; then
      echo "not ok - $text, delivery $WINNOW_DELIVERY, loses nothing in silence (round $round)"
      { cat "$work/verdict"; head -c 2000 "$work/err"; } >&2
      return
    fi
    records=$((records + $(wc -l <"$work/log")))
  done
  echo "ok - $text, delivery $WINNOW_DELIVERY, loses nothing in silence (ends: $count, lines: $records)"
}

check_ends() {
  local often=${rounds:-2} seldom=${few:-1}
  check 'an exit' "$often" 1 say=first endless=8 at-random end=exit
  check 'an exit on two threads' "$often" 1 say=first endless=8 at-random end=exits
  check 'an exit within a signal handler' "$often" 1 handle=15 say=first endless=8 at-random die=15
  check 'an exit within a log call' "$often" 1 say=first endless=8 at-random in-call
  check 'SIGTERM' "$often" 1 say=first endless=8 at-random die=15
  check 'SIGHUP' "$often" 1 say=first endless=8 at-random die=1
  check 'a fault' "$often" 1 say=first endless=8 at-random die=fault
  check 'an abort' "$often" 1 say=first endless=8 at-random die=abort
  # A fork waits 0.2 s for what waits, which is not long on a busy machine.
  check 'a daemon' "$often" 2 threads=8,50 flush=600 daemon=8
  check 'an exit amid starts' "$often" 1 say=first endless=8 starts at-random end=exit
  check 'SIGTERM amid starts' "$often" 1 say=first endless=8 starts at-random die=15
  check 'an exit beside a sink that hangs' "$seldom" 1 "hanging=$work/log" say=first endless=8 at-random end=exit
  check 'SIGTERM beside a sink that hangs' "$seldom" 1 "hanging=$work/log" say=first endless=8 at-random die=15
}

for WINNOW_DELIVERY in immediate deferred; do
  export WINNOW_DELIVERY
  check_ends
done
