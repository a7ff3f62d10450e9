#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Ends a process that logs in every way, many times over, and looks whether the last accepted record
# has arrived, in order.
#
#   Tests/Shell/endings.sh
#
# Each way runs 25 times, 200 times where WINNOW_TEST_FULL is not empty. Prints `ok - TEXT` or
# `not ok - TEXT` for each test.

set -euo pipefail
cd "$(dirname "$0")/../.."

read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
readonly flags=(--traits 'default,SwiftLog' "${more[@]}")
swift build --product LogProgram "${flags[@]}" >&2
program=$(swift build "${flags[@]}" --show-bin-path)/LogProgram
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly program work rounds=${WINNOW_TEST_FULL:+200}
ulimit -c 0
export WINNOW_DELIVERY=deferred WINNOW_SINKS=file:$work/log SWIFT_BACKTRACE=enable=no

# Runs the program with the tasks; leaves its exit status in `status`, its log and its stderr in files.
# Whoever started the tests with nohup has SIGHUP ignored, and a shell cannot take that back.
run() {
  rm -f "$work/log"
  status=0
  env --default-signal "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
}

# Whether the log holds the records of 4 threads with 100 each and then a burst of 100, each in order.
is_whole() {
  awk '
    { sub(/^.*\] /, "") }
    $1 == "thread" { bad += $4 != next_of[$2]++; next }
    { bad += $1 != burst++; }
    END {
      for (thread = 0; thread < 4; thread++) bad += next_of[thread] != 100
      exit bad > 0 || burst != 100
    }' "$work/log"
}

# Tests that the process ends so, with the status, and that everything is there.
check_end() {
  local text=$1 expected=$2 round
  shift 2
  for ((round = 1; round <= ${rounds:-25}; round++)); do
    # What bash says of a process that a signal has ended is no news.
    { run threads=4,100 burst=100 "$@"; } 2>/dev/null
    if ((status != expected)) || ! is_whole; then
      echo "not ok - $text delivers what was logged (round $round: status $status," \
        "$(wc -l <"$work/log") of 500 lines)"
      head -c 2000 "$work/err" >&2
      return
    fi
  done
  echo "ok - $text delivers what was logged"
}

# Prints the signals that the program catches when it has run the tasks and waits.
caught_after() {
  local pid
  mkfifo "$work/steps"
  "$program" "$@" step=waits no-status <"$work/steps" >"$work/out" 2>"$work/err" &
  pid=$!
  exec 9>"$work/steps"
  until grep -qx waits "$work/out"; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  sed -n 's/^SigCgt:\t//p' "/proc/$pid/status" || true
  exec 9>&-
  wait "$pid" || true
  rm "$work/steps"
}

check_end 'return from main' 0 no-status
check_end 'exit' 0 end=exit
check_end 'fatalError' 132 die=fatal
if grep -q 'Fatal error: the end' "$work/err"; then
  echo 'ok - the words of fatalError are on stderr'
else
  echo 'not ok - the words of fatalError are on stderr'
fi
check_end 'abort' 134 die=abort
check_end 'a fault' 139 die=fault
check_end 'an abort that holds the lock of malloc' 134 die=heap
check_end 'SIGPIPE' 141 die=pipe
check_end 'SIGTERM' 143 die=15
check_end 'SIGINT' 130 die=2
check_end 'SIGHUP' 129 die=1
check_end 'a signal that the program handles by exit' 7 handle=15 die=15

# A crash of a program whose handler prints a backtrace: it comes behind the records.
export SWIFT_BACKTRACE=enable=yes,color=no,interactive=no
{ run threads=4,100 burst=100 die=fault; } 2>/dev/null
if ((status == 139)) && is_whole && grep -q 'Program crashed' "$work/err"; then
  echo "ok - Swift's backtrace follows"
else
  echo "not ok - Swift's backtrace follows (status $status)"
fi
if grep -q 'Program crashed' "$work/err" && ! grep -q 'failed to suspend thread' "$work/err"; then
  echo "ok - threads of the library's own are stopped for it"
else
  echo "not ok - threads of the library's own are stopped for it: $(grep 'suspend' "$work/err")"
fi
export SWIFT_BACKTRACE=enable=no

# SIGTERM is bit 14 of the set.
deferred=$(caught_after say=x)
immediate=$(WINNOW_DELIVERY=immediate caught_after say=x)
left=$(WINNOW_SIGNALS=left caught_after say=x)
if (((0x$deferred >> 14 & 1) == 1 && (0x$immediate >> 14 & 1) == 0 && (0x$left >> 14 & 1) == 0)); then
  echo 'ok - signals are caught where records wait, and nowhere else'
else
  echo "not ok - signals are caught where records wait, and nowhere else ($deferred $immediate $left)"
fi
