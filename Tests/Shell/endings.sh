#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Ends a process that logs in every way, many times over, and looks whether the last accepted record
# has arrived, in order.
#
#   Tests/Shell/endings.sh
#
# Each way runs 25 times, 200 times where WINNOW_TEST_FULL is not empty; what takes longer 5 and 25 times.
# Prints `ok - TEXT` or `not ok - TEXT` for each test.

set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=log_program.sh
source Tests/Shell/log_program.sh
Tests/install-missing '/usr/bin/jq=jq' >&2
readonly rounds=${WINNOW_TEST_FULL:+200} few=${WINNOW_TEST_FULL:+25}
env=()
export WINNOW_DELIVERY=deferred WINNOW_SINKS=file:$work/log SWIFT_BACKTRACE=enable=no

# Runs the program with the tasks; leaves its exit status in `status`, its log and its stderr in files.
# Whoever started the tests with nohup has SIGHUP ignored, and a shell cannot take that back.
run() {
  rm -f "$work/log"
  status=0
  env --default-signal "${env[@]}" "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
}

# Whether the log holds the records of 4 threads with 100 each and then a burst of 100, each in order. A thread
# may say "last" before it ends the process.
is_whole() {
  awk '
    { sub(/^.*\] /, "") }
    $1 == "last" { next }
    $1 == "thread" { bad += $4 != next_of[$2]++; next }
    { bad += $1 != burst++; }
    END {
      for (thread = 0; thread < 4; thread++) bad += next_of[thread] != 100
      exit bad > 0 || burst != 100
    }' "$work/log"
}

# Tests that the process ends so, with the status, and that everything is there.
times=''
check_end() {
  local text=$1 expected=$2 round
  shift 2
  for ((round = 1; round <= ${times:-${rounds:-25}}; round++)); do
    # What bash says of a process that a signal has ended is no news.
    { run threads=4,100 burst=100 "$@"; } 2>/dev/null
    if ((status != expected)) || ! is_whole || gave_up; then
      echo "not ok - $text delivers what was logged (round $round: status $status," \
        "$(wc -l <"$work/log") of 500 lines)"
      head -c 2000 "$work/err" >&2
      return
    fi
  done
  echo "ok - $text delivers what was logged"
}

# Whether the end had to give up on the sinks, which took everything all the same.
gave_up() { grep -q 'before the sinks have taken' "$work/err"; }

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
check_end 'two exits at a time' 0 end=exits
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
# What else ends a process unless it is handled: seldom sent, so each a few times.
times=3
for signal in ALRM USR1 USR2 PROF VTALRM XCPU XFSZ IO PWR STKFLT RTMIN RTMIN+3 RTMAX; do
  number=$(kill -l "$signal")
  check_end "SIG$signal" $((128 + number)) "die=$number"
done
times=''
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

# Of what waits for a sink, the memory is that of a thread which holds the lock of malloc and does not go on.
waits_for_reader() {
  local lines records=()
  for ((lines = 0; lines < 200; lines++)); do records+=(big=3000); done
  rm -f "$work/stderr"
  mkfifo "$work/stderr"
  # The reader comes behind the crash: by then the pipe is full, and the rest waits.
  { sleep 1.6; cat; } <"$work/stderr" >"$work/lines" &
  { sleep 1.2; echo; } | WINNOW_DELIVERY=immediate WINNOW_SINKS=stderr \
    "$program" "${records[@]}" step=logged die="$1" 2>"$work/stderr" >"$work/out" &
  wait
  lines=$(grep -c 'xxx$' "$work/lines" || true)
  if ((lines == 200)); then
    echo "ok - what waits for a sink is delivered behind $2"
  else
    echo "not ok - what waits for a sink is delivered behind $2: $lines of 200 lines"
  fi
}
waits_for_reader fault 'a fault'
waits_for_reader heap 'an abort that holds the lock of malloc'

# What the rings had no room for is in the account as well where the worker of the sink is stuck there for
# good, and so is the record that it is inside with.
env=(-u WINNOW_SINKS)
run sleeping=100 warnings=20001 no-status
if grep -q 'lost 20001 records (20001 warning)' "$work/err"; then
  echo 'ok - an exit with a sink that hangs counts all that is lost'
else
  echo "not ok - an exit with a sink that hangs counts all that is lost: $(<"$work/err")"
fi
run "sleeping=100,$work/log" warnings=20001 no-status
# The sink beside it has what the rings had room for, and its own account of the rest.
written=$(grep -c ' w*$' "$work/log" || true)
lost=$(sed -nE 's/.* winnow_lost=([0-9]+) .*/\1/p' "$work/log" | paste -sd+)
told=$(cat "$work/err" "$work/log" | grep -cE 'SleepingSink: lost 20001 records' || true)
if ((written > 0 && written + (${lost:-0}) == 20001 && told == 1)); then
  echo 'ok - the sink beside it has its records, and no loss of either is left untold'
else
  echo "not ok - the sink beside it has its records, and no loss of either is left untold:" \
    "$written written, ${lost:-0} lost, told $told times: $(<"$work/err")"
fi
env=()

# What other threads log while the program ends is with the sink, or reported lost, or has no number.
ends_exactly() {
  local text=$1 round verdict
  shift
  for ((round = 1; round <= ${few:-5}; round++)); do
    { run endless=4 sleep=0.1 "$@"; } 2>/dev/null
    if ! verdict=$("$winnow" verify --complete "$work/log"); then
      echo "not ok - $text (round $round): $verdict"
      return
    fi
  done
  echo "ok - $text"
}
export WINNOW_FORMAT=json
WINNOW_DELIVERY=immediate ends_exactly 'an exit while others log leaves no number without a record' end=exit
# Not even one of the last, which a log that ends in the middle may lack.
# shellcheck disable=SC2016 # the variables are jq's
last=$(jq -n 'reduce (inputs.sequence // 0) as $number ([0, 0]; [([.[0], $number] | max), .[1] + ([$number, 1] | min)])
  | .[0] - .[1]' "$work/log")
if ((last == 0)); then
  echo 'ok - an exit while others log leaves none of the last numbers without a record'
else
  echo "not ok - an exit while others log leaves none of the last numbers without a record: $last are missing"
fi
ends_exactly 'an exit while others log, deferred, leaves no number without a record' end=exit
ends_exactly 'SIGTERM while others log, deferred, leaves no number without a record' die=15
WINNOW_DELIVERY=immediate ends_exactly 'SIGTERM while others log leaves no number without a record' die=15
unset WINNOW_FORMAT

# What a rate limit has held back is told, whatever ends the process.
for how in end=exit die=15 die=abort; do
  { WINNOW_DELIVERY=immediate run limited=8 "$how"; } 2>/dev/null
  told=$(grep -c 'suppressed by the rate limit' "$work/log" || true)
  if ((told == 2)); then
    echo "ok - what a rate limit has held back is told at $how"
  else
    echo "not ok - what a rate limit has held back is told at $how: $(<"$work/log")"
  fi
done

# A fault that the program mends is no end: the log goes on, and a signal ends the process as ever.
{ run mend burst=10 mended=3 burst=10 die=15; } 2>/dev/null
if ((status == 143)) && (($(wc -l <"$work/log") == 20)); then
  echo 'ok - the log goes on behind a fault that is mended'
else
  echo "not ok - the log goes on behind a fault that is mended (status $status): $(<"$work/err")"
fi
# One is not worth a wait where nothing waits.
begin=$(date +%s%N)
{ run mend burst=10 flush=5 mended=3000 burst=10; } 2>/dev/null
took=$((($(date +%s%N) - begin) / 1000000))
if ((status == 0 && took < 2000)) && (($(wc -l <"$work/log") == 20)); then
  echo 'ok - faults that are mended cost next to nothing where nothing waits'
else
  echo "not ok - faults that are mended cost next to nothing where nothing waits (status $status, $took ms)"
fi
env=(-u WINNOW_SINKS)
{ run mend sleeping=4 warnings=10 mended=1 sleep=2 burst=10 flush=5; } 2>/dev/null
if ((status == 0)) && grep -q ' delivered 20 .* queued 0 lost 0' "$work/out" \
  && grep -q 'a fault, while [0-9]* records\{0,1\} wait' "$work/err"; then
  echo 'ok - what waits at a fault that is mended is told, and delivered later'
else
  echo "not ok - what waits at a fault that is mended is told, and delivered later" \
    "(status $status): $(<"$work/out")"
fi
{ run mend sleeping=4 warnings=10 terminated mended=1 sleep=10; } 2>/dev/null
if ((status == 143)); then
  echo 'ok - SIGTERM ends a process that mends a fault meanwhile'
else
  echo "not ok - SIGTERM ends a process that mends a fault meanwhile (status $status)"
fi
env=()

# Two at once are one request to end, as a closed terminal and a manager of services send them; who asks
# again later does not want to wait.
{ run "sleeping=1,$work/log" warnings=10 signal=1 signal=15 sleep=5; } 2>/dev/null
if ((status == 129)) && (($(wc -l <"$work/log") == 10)); then
  echo 'ok - two signals at once wait for the sinks'
else
  echo "not ok - two signals at once wait for the sinks (status $status): $(wc -l <"$work/log") of 10"
fi
env=(-u WINNOW_SINKS)
{ run sleeping=100 warnings=10 signal=2 sleep=1 signal=2 sleep=5; } 2>/dev/null
if ((status == 130)) && grep -q 'by a signal before the sinks have taken .* in the queues: ' "$work/err"; then
  echo 'ok - a signal that comes again ends the process at once, and says what is lost'
else
  echo "not ok - a signal that comes again ends the process at once, and says what is lost" \
    "(status $status): $(<"$work/err")"
fi

# A thread that has no more room on its stack runs the handler on another one.
env=(-u WINNOW_SINKS)
for where in main thread; do
  { run "sleeping=1,$work/log" warnings=10 "overflow=$where"; } 2>/dev/null
  if ((status == 139)) && (($(wc -l <"$work/log") == 11)); then
    echo "ok - a full stack waits for the sinks ($where)"
  else
    echo "not ok - a full stack waits for the sinks ($where, status $status): $(wc -l <"$work/log") of 11"
  fi
done

# So does the thread that gives a sink of the program's own its records.
# A pipe that is read late has no room for most of what the others get.
lines=$({ env -u WINNOW_SINKS "$program" bad-sink=stack warnings=150 sleep=5; } 2>&1 >/dev/null | {
  sleep 1
  grep -c ' warning \[program\] '
}) || true
if ((lines == 150)); then
  echo "ok - a full stack of a sink's worker waits for the sinks"
else
  echo "not ok - a full stack of a sink's worker waits for the sinks: $lines of 150"
fi

# The kernel keeps from the first process of a container the signals that it does not handle.
text='a signal without effect on the first process of a container has none on its log'
if unshare --fork --pid --kill-child true 2>/dev/null; then
  env+=(unshare --fork --pid --kill-child)
  run sleeping=4 warnings=10 terminated signal=1 signal=10 signal=6 signal=11 sleep=2 burst=10 flush=5
  if ((status == 0)) && grep -q ' delivered 20 .* queued 0 lost 0' "$work/out"; then
    echo "ok - $text"
  else
    echo "not ok - $text (status $status): $(<"$work/out") $(<"$work/err")"
  fi
  run "sleeping=1,$work/log" warnings=10 die=abort
  if ((status > 128)) && (($(wc -l <"$work/log") == 10)); then
    echo 'ok - a crash of the first process of a container waits for the sinks'
  else
    echo "not ok - a crash of the first process of a container waits for the sinks (status $status):" \
      "$(wc -l <"$work/log") of 10"
  fi
else
  echo "skip - $text: the machine has no namespaces of processes"
fi
env=()

# A fork while another thread starts the log, which takes a second here: a disk may be that slow.
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
clang=${resources%/lib/swift}/bin/clang
[[ -x $clang ]] || clang=$(command -v clang)
cat >"$work/slow.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
int open(const char *path, int flags, mode_t mode) {
    if (strstr(path, "slow.log") != NULL) {
        sleep(1);
    }
    return ((int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}
C
"$clang" -shared -fPIC -O1 "$work/slow.c" -o "$work/slow.so"
env=("LD_PRELOAD=$work/slow.so" "WINNOW_SINKS=file:$work/slow.log")
begin=$(date +%s%N)
run fork-at-start
took=$((($(date +%s%N) - begin) / 1000000))
if ((took < 900)); then
  echo 'skip - the child of a fork while the log starts: the start could not be made slow'
elif grep -qx 'child 0' "$work/out" && [[ $(sed 's/.*\] //' "$work/slow.log" | sort) == $'child\nparent' ]]; then
  echo 'ok - the child of a fork while the log starts has a log of its own'
else
  echo "not ok - the child of a fork while the log starts has a log of its own: $(<"$work/out")"
fi
env=()

# While a start is under way, the configuration that it replaces is the present one and a retired one.
run forks=100
count=$(grep -c '\] child$' "$work/log" || true)
if grep -qx forked "$work/out" && [[ $count == 100 ]]; then
  echo 'ok - children that are forked amid starts log'
else
  echo "not ok - children that are forked amid starts log: $count of 100; $(<"$work/out")"
fi

# A message to journald that is larger than a file may be goes by a file in memory, which is one.
text='an entry that is larger than a file may be is lost, and told'
if [[ -n ${WINNOW_TEST_JOURNAL-} ]]; then
  for mode in immediate deferred; do
    env=("WINNOW_SINKS=journald" "WINNOW_DELIVERY=$mode")
    (
      ulimit -f 64
      run big=300000 say=behind flush=5
      printf '%s\n' "$status"
    ) >"$work/status"
    if [[ $(<"$work/status") == 0 ]] && grep -q 'delivered 1 .* queued 0 lost 1' "$work/out"; then
      echo "ok - $text ($mode)"
    else
      echo "not ok - $text ($mode): status $(<"$work/status"), $(grep 'status sink' "$work/out")"
    fi
  done
  env=()
else
  echo "skip - $text: there is no journald"
fi

# A signal that is ignored stays so, and is no end.
{
  env --ignore-signal=TRAP "$program" burst=10 die=5 >"$work/out" 2>"$work/err" &
  pid=$!
  sleep 1
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
} 2>/dev/null
if ((status == 143)); then
  echo 'ok - a signal that the program ignores is no end, and SIGTERM is one behind it'
else
  echo "not ok - a signal that the program ignores is no end, and SIGTERM is one behind it (status $status)"
fi

# A fault that is mended leaves the redirect as it is.
rm -f "$work/log"
env WINNOW_DELIVERY=immediate 'WINNOW_REDIRECT=*=notice' "$program" \
  mend burst=1 mended=1 step=printed burst=1 no-status </dev/null >"$work/out" 2>"$work/err" || true
if grep -q 'printed' "$work/log" && ! grep -q 'printed' "$work/out"; then
  echo 'ok - what is printed behind a fault that is mended goes by its rule'
else
  echo "not ok - what is printed behind a fault that is mended goes by its rule: $(<"$work/out")"
fi

# SIGTERM is bit 14 of the set.
deferred=$(caught_after say=x)
immediate=$(WINNOW_DELIVERY=immediate caught_after say=x)
several=$(WINNOW_DELIVERY=immediate caught_after endless=2 sleep=0.1)
left=$(WINNOW_SIGNALS=left caught_after endless=2 sleep=0.1)
if (((0x$deferred >> 14 & 1) == 1 && (0x$several >> 14 & 1) == 1)) \
  && (((0x$immediate >> 14 & 1) == 0 && (0x$left >> 14 & 1) == 0)); then
  echo 'ok - signals are caught where records wait or several threads log, and nowhere else'
else
  echo "not ok - signals are caught where records wait or several threads log, and nowhere else" \
    "($deferred $several $immediate $left)"
fi
