#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Logs from threads that are not like the others, and ends processes whose threads wait.
#
#   Tests/Shell/threads.sh
#
# The program is a package of its own, Tests/Threads. Prints `ok - TEXT`, `not ok - TEXT` or `skip - TEXT` for each test.

set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly work rounds=${WINNOW_TEST_FULL:+20} clients=${WINNOW_TEST_CLIENTS:-$work/clients}

# A release build, as the stack that a debug build needs is what its compiler leaves unoptimized.
mkdir -p "$work/package/Sources"
ln -s "$PWD/Tests/Threads" "$work/package/Sources/Threads"
cat >"$work/package/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "Threads",
    dependencies: [.package(name: "winnow", path: "$PWD")],
    targets: [
        .executableTarget(name: "Threads", dependencies: [.product(name: "Winnow", package: "winnow")])
    ]
)
MANIFEST
build=(swift build -c release --package-path "$work/package" --scratch-path "$clients/release")
"${build[@]}" >&2
program=$("${build[@]}" --show-bin-path)/Threads
readonly program
ulimit -c 0
read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
tool=(--product winnow --traits 'default,SwiftLog' "${more[@]}")
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build "${tool[@]}" >&2
winnow=$(swift build "${tool[@]}" --show-bin-path)/winnow
export SWIFT_BACKTRACE=enable=no WINNOW_SINKS=file:$work/log

# A semaphore of semop(2) outlives the process, except with its namespace.
ipc=()
unshare --ipc true 2>/dev/null && ipc=(unshare --ipc)

# Whether the program, whose thread waits in the call, ends by SIGTERM and runs nothing behind the call. Until
# it has come to the call, the signal finds it on the way there, from which it comes to wait as well.
ends_in() {
  local call=$1 pid status=0
  rm -f "$work/come"
  "${ipc[@]}" env --default-signal -C "$work" "$program" "${@:2}" "waiting=$call" \
    <"$work/silent" >"$work/out" 2>"$work/err" &
  pid=$!
  until grep -qsx waits "$work/come"; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.02
  done
  sleep 0.02
  kill -TERM "$pid"
  wait "$pid" || status=$?
  ((status == 143)) && ! grep -q 'went on' "$work/come"
}

# Tests that of all calls, on the main thread and on another one, behind a record and behind many.
check_waits() {
  local text=$1 call thread tasks round
  for call in pause sleep usleep nanosleep poll select epoll_wait sigsuspend sigwaitinfo semop \
    sem_timedwait recv read waitpid; do
    for thread in '' ,thread; do
      for tasks in say=x burst=3000; do
        for ((round = 0; round < ${rounds:-1}; round++)); do
          ends_in "$call$thread" "$tasks" && continue
          echo "not ok - $text: $call$thread behind $tasks: $(<"$work/err")"
          return
        done
      done
    done
  done 2>/dev/null
  echo "ok - $text"
}

# A pipe that stays open, and to which nobody writes.
mkfifo "$work/silent"
exec 8<>"$work/silent"
WINNOW_DELIVERY=deferred check_waits 'SIGTERM ends a process that waits in a call, and nothing runs behind it'
WINNOW_DELIVERY=immediate WINNOW_REDIRECT='*=notice' \
  check_waits 'so it does where the output of other code is captured'

# daemon(3) forks, and its parent ends by _exit(2): what it has logged is delivered before.
text='what a process logs around daemon(3) is delivered'
for ((round = 0; round < ${rounds:-5}; round++)); do
  rm -f "$work/log"
  WINNOW_DELIVERY=deferred "$program" daemon=5
  for ((tries = 0; tries < 6000; tries++)); do
    [[ $(grep -c behind "$work/log" || true) == 5 ]] && break
    sleep 0.02
  done
  lines=$(wc -l <"$work/log")
  ((lines == 10)) || break
done
if ((lines == 10)); then
  echo "ok - $text"
else
  echo "not ok - $text: $lines of 10 lines"
fi

# A child that no handler of fork(2) was told of has no worker, and says so.
text='a child of _Fork(3) does not wait at its exit, and what it has logged is not lost in silence'
rm -f "$work/log"
WINNOW_DELIVERY=deferred "$program" untold-child 2>"$work/err"
if [[ $(wc -l <"$work/log") == 2 ]] && grep -q 'lost 1 record (1 notice)' "$work/log" &&
  grep -q 'child of _Fork .* what it has logged is lost' "$work/err"; then
  echo "ok - $text"
else
  echo "not ok - $text: $(<"$work/log") $(<"$work/err")"
fi

# So does one whose records wait for a sink that is away.
text='a child of _Fork(3) whose records wait for a sink says so'
WINNOW_DELIVERY=immediate WINNOW_SINKS=syslog+tcp://127.0.0.1:1 "$program" untold-child=queued 2>"$work/err"
if [[ $(grep -c 'child of _Fork .* what it has logged is lost' "$work/err") == 1 ]]; then
  echo "ok - $text"
else
  echo "not ok - $text: $(<"$work/err")"
fi

# The threads of the library are like the first of the process, whichever logs first.
text='a thread with a processor, a priority and a user of its own leaves none of them to those of the library'
WINNOW_DELIVERY=deferred "$program" odd-thread >"$work/out" 2>"$work/err"
first=$(sed -n 's/^first: //p' "$work/out")
others=$(sed -n 's/^winnow[-a-z]*: //p' "$work/out" | sort -u)
if ! grep -q 'pinned 0 .* fifo 0' "$work/out"; then
  echo "skip - $text: the machine has no SCHED_FIFO for it: $(sed -n 1p "$work/out")"
elif [[ -n $first && $others == "$first" ]]; then
  echo "ok - $text"
else
  echo "not ok - $text: $(<"$work/out")"
fi

# A filter of system calls ends the process for what such a thread would have changed: nothing is, of the first.
text='a program logs under a filter that permits no change of scheduling or rights'
rm -f "$work/log"
status=0
WINNOW_DELIVERY=deferred Tests/Kernel/older.py service "$program" burst=5 2>"$work/err" || status=$?
if ((status == 0)) && [[ $(wc -l <"$work/log") == 5 ]]; then
  echo "ok - $text"
else
  echo "not ok - $text (status $status): $(<"$work/err")"
fi

# What a log call needs of the stack, the first one and each one that rotates the file.
text='a thread with a stack of 16 KiB logs'
for mode in deferred immediate; do
  for options in 'rotate=1K&keep=3' 'rotate=1K&names=date&keep=3&compress=gzip&link=current'; do
    mkdir -p "$work/small"
    status=0
    WINNOW_DELIVERY=$mode WINNOW_SINKS="file:$work/small/log?$options" \
      "$program" small-stack=16,100 >"$work/out" 2>"$work/err" || status=$?
    if ((status == 0)) && [[ -f $work/small/log && ! -s $work/out ]]; then
      echo "ok - $text ($mode, $options)"
    else
      echo "not ok - $text ($mode, $options, status $status): $(<"$work/out") $(<"$work/err")"
    fi
    rm -rf "$work/small"
  done
done

# Nor what an order needs that has come meanwhile, which the call takes with it.
text='a thread with a stack of 16 KiB obeys an order'
for mode in deferred immediate; do
  rm -f "$work/log"
  mkfifo "$work/stdin"
  WINNOW_DELIVERY=$mode env -C "$work" "$program" say=x step small-stack=16,100 \
    <"$work/stdin" >"$work/out" 2>"$work/err" &
  pid=$!
  exec 7>"$work/stdin"
  until grep -qs ' x$' "$work/log"; do sleep 0.02; done
  given=0 status=0
  "$winnow" set "$pid" '@*~small*=debug,debug' --stay >"$work/given" 2>&1 || given=$?
  echo >&7
  exec 7>&-
  wait "$pid" || status=$?
  obeyed=$(grep -c 'levels are set from outside' "$work/log" || true)
  if ((given == 1 && status == 0 && obeyed == 1 && $(grep -c small "$work/log" || true) >= 100)); then
    echo "ok - $text ($mode)"
  else
    echo "not ok - $text ($mode, status $status): $(<"$work/given") $(<"$work/err") $(tail -n 3 "$work/log")"
  fi
  rm "$work/stdin"
done
