#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Looks at real processes from outside with the tool: as their user, as another one, as root from outside of their
# namespaces, and while they stand still.
#
#   Tests/Shell/control.sh
#
# Prints `ok - TEXT` or `not ok - TEXT` for each test, `skip - TEXT` for what this machine does not let it do.
#
# Environment: WINNOW_TEST_BUILT        not empty: what is built is up to date
#              WINNOW_TEST_SWIFT_FLAGS  more flags for `swift build`

set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=log_program.sh
source Tests/Shell/log_program.sh
# shellcheck source=check.sh
source Tests/Shell/check.sh
Tests/install-missing '/usr/bin/jq=jq' '/usr/bin/script=bsdutils' '/usr/bin/python3=python3' >&2

# Tests that the command fails with exit status 2 and says a text on stderr.
refuses() {
  local text=$1 status=0
  shift
  "$@" >/dev/null 2>"$work/refused" || status=$?
  ((status == 2)) && grep -qF -- "$text" "$work/refused"
}

# What the program does: it logs at each line that it is given.
steps=(step=logged)
for ((count = 0; count < 2000; count++)); do steps+=(say=next step=logged); done
readonly steps

# Starts the program with the arguments in front of it, and sets `pid` to the process that these are. The program has
# logged, and waits for a line on its standard input, when this returns.
start() {
  rm -f "$work/in" "$work/out"
  mkfifo "$work/in"
  : >"$work/out"
  "$@" "$program" say=hello "${steps[@]}" <"$work/in" >"$work/out" 2>"$work/err" &
  pid=$!
  exec 9>"$work/in"
  until grep -q logged "$work/out"; do sleep 0.05; done
}

stop() {
  exec 9>&-
  wait
}

lists() { grep -qE "^$1 +$2 " <<<"$("$winnow" ps)"; }
lists_none() {
  local list
  list=$("$winnow" ps) || return 1
  [[ -n $list ]] && ! grep -qE " $1 " <<<"$list"
}
says() { grep -qF -- "$1" <<<"$("$winnow" status "$2")"; }

says_in_json() {
  "$winnow" ps --format json \
    | jq -e ".[] | select(.pid == $1 and .identifier == \"$2\" and .floor == \"debug\")" >"$work/json"
}

start env WINNOW_IDENTIFIER=seen WINNOW_LOG=notice,program=debug
check 'a process that has logged is listed' lists "$pid" seen
check 'its status says who it is' says "process $pid, seen, run " "$pid"
check 'and is found by its name' says "process $pid, seen, run " seen
check 'and says the levels of all that has no category' says 'notice  (none)' seen
check 'and those of a category' grep -qE '^debug +program' <<<"$("$winnow" status seen)"
check 'as JSON as well' says_in_json "$pid" seen
check 'of a debug build no statement is known' \
  grep -qF 'built without optimization' <<<"$("$winnow" statements seen)"
check 'and a word does not hide that' \
  grep -qF 'built without optimization' <<<"$("$winnow" statements seen nothing-is-called-so)"
kill -STOP "$pid"
check 'a process that stands still has a status' says "process $pid, seen" "$pid"
kill -CONT "$pid"
# What bash would put in the place of the word that `winnow status` is called with.
completed() {
  PATH=${winnow%/*}:$PATH bash -c '
    source <(winnow --generate-completion-script bash)
    COMP_WORDS=(winnow status "$1") COMP_CWORD=2 COMP_LINE="winnow status $1" COMP_TYPE=9
    COMP_POINT=${#COMP_LINE}
    _winnow winnow "$1" status
    printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}
check 'a shell completes its name' grep -qx seen <<<"$(completed se)"
check 'and its number' grep -qx "$pid" <<<"$(completed "${pid::-1}")"

check 'levels for statements are only levels' test "$(
  "$winnow" set seen 'debug,net=info' --statements X.swift 2>/dev/null || echo $?
)" = 64

# A terminal of ten lines, in which the process is watched for as long as there is one.
watch_on_terminal() {
  script -qc "stty rows 10; $winnow status seen --watch" /dev/null
}
watch_on_terminal </dev/null >"$work/screen" 2>&1 9>&- &
watcher=$!
"$winnow" status seen --watch >"$work/watched" 2>"$work/unwatched" 9>&- &
watchers=("$watcher" $!)
until (($(grep -c "process $pid" "$work/watched") > 2)); do sleep 0.1; done
until (($(grep -c "process $pid" "$work/screen") > 2)); do sleep 0.1; done

if ((EUID == 0)); then
  other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  install -m 755 "$winnow" "$work/winnow" && chmod 755 "$work"
  check 'the kernel refuses another user, and the tool says who may look' \
    refuses 'only root may, and who has its user' "${other[@]}" "$work/winnow" status "$pid"
  check 'who finds nothing in the list' \
    grep -qF 'no process that you may look at' <<<"$("${other[@]}" "$work/winnow" ps)"
else
  echo 'skip - another user is refused: only root can become one'
fi
exec 9>&-
wait "$pid"
status=0
wait "${watchers[1]}" || status=$?
wait "${watchers[0]}" || true
check 'a process is watched until it ends' test "$status" = 2
check 'and then the watch says why it ends' grep -q 'shows a log of that name' "$work/unwatched"
fits() { [[ -s $work/screen ]] && ! grep -q 'notice  program' "$work/screen"; }
check 'a terminal gets as many lines as it has' fits

# Has the program that was started log its next record, and waits until it has.
next() {
  local count
  count=$(grep -c logged "$work/out")
  echo >&9
  until (($(grep -c logged "$work/out") > count)); do sleep 0.05; done
}

# Runs the tool, and tests its exit status and what it writes to both streams.
gives() {
  local status=0 expected=$1 text=$2
  shift 2
  "$winnow" "$@" >"$work/given" 2>&1 || status=$?
  ((status == expected)) && grep -qE -- "$text" "$work/given"
}

logged() { grep -qE -- "$1" "$work/err"; }
log_lacks() { [[ -s $work/err ]] && ! grep -qE -- "$1" "$work/err"; }

# Runs the tool while the program logs, and tests as `gives` does.
gives_meanwhile() {
  local status=0 turner
  gives "$@" &
  turner=$!
  while kill -0 "$turner" 2>/dev/null; do
    echo >&9
    sleep 0.05
  done
  wait "$turner" || status=$?
  return "$status"
}

start env WINNOW_IDENTIFIER=turned WINNOW_LOG=notice WINNOW_SINKS="stderr,file:$work/file"
check 'a process that does not log is said not to have looked, and an entry for no category is named' \
  gives 1 'no category has matched .prgram=info.* did you mean .program' \
  set turned 'program=debug,prgram=info' --for 1h
check 'which is written with what it does then' grep -q 'has not looked within 2 seconds' "$work/given"
check 'while it does not log, its accounts are said to be old' \
  grep -qE '^records accepted: [0-9]+, as of .*, [0-9]+ s ago: it has not logged since you asked$' \
  <<<"$("$winnow" status turned)"
next
check 'its next call obeys' says 'debug   program' turned
check 'and its log says who has set what' logged \
  "levels are set from outside winnow_filter=\"prgram=info,program=debug\" winnow_until=20.*winnow_uid=$EUID"
check 'and its status for how long' says 'set to prgram=info,program=debug by user' turned
next
check 'and, as of its last call, what became of its records' \
  grep -qE '^file:.* debug +([1-9]) +\1 +0 +0 +takes records$' <<<"$("$winnow" status turned)"
kill -STOP "$pid"
check 'a process that stands still is given an order, too' gives 1 'has not looked' reset "$pid"
kill -CONT "$pid"
next
check 'which it obeys when it goes on' logged 'levels set from outside are reset'
check 'what is set is acknowledged' \
  gives_meanwhile 0 "^process $pid, turned: set for 5s" set turned program=debug --for 5s
until grep -q 'have ended' "$work/err"; do next; done
kill -STOP "$pid"
check 'an order that comes too late' gives 1 'has not looked' set turned program=info --for 1s
sleep 1.1
kill -CONT "$pid"
next
check 'sets nothing, as the log says' logged 'levels were to be set .*their time had passed .*program=info'
check 'and ends by itself' says 'notice  program' turned
check 'levels may be set for good' \
  gives_meanwhile 0 'set until it is reset' set turned info --stay
check 'and are there' says 'info    program' turned
check 'until they are reset' gives_meanwhile 0 'turned: reset' reset turned
check 'what was not set is not said to be reset' gives_meanwhile 0 'turned: nothing was set' reset turned
check 'a debug build does not tell whether it has a statement' \
  gives_meanwhile 0 "nobody can tell whether .*'@mian.swift=debug'" \
  set turned debug --statements mian.swift --for 1h
mv "$work/file" "$work/file.1"
check 'a file is opened anew' gives_meanwhile 0 'turned: reopened' reopen turned
check 'and is there' test -e "$work/file"
rm "$work/file" && mkdir "$work/file"
check 'one that cannot be is named, with the reason' gives_meanwhile 2 \
  "could not do all of it: file:$work/file cannot be opened anew: .*directory" reopen turned
rmdir "$work/file"
check 'what waits is delivered' gives_meanwhile 0 'turned: flushed' flush turned
check 'a wrong filter is refused with what is wrong' \
  gives 64 "unknown level 'debgu' at character 1; did you mean 'debug'" set turned debgu
check 'and a wrong time' gives 64 "'5x' is no time: write 90s, 10m, 2h or 1d" set turned debug --for 5x
check 'and two times' gives 64 'give either --for or --stay' set turned debug --for 10m --stay
if ((EUID == 0)); then
  check 'another user sets nothing' \
    refuses 'only root may, and who has its user' "${other[@]}" "$work/winnow" set "$pid" debug
  stop
  start "${other[@]}" env WINNOW_IDENTIFIER=theirs
  check 'who has the user of the process may set its levels' \
    gives 1 'has not looked' set "$pid" debug
  check 'as may root' gives 1 'has not looked' reset "$pid"
else
  echo 'skip - another user sets nothing: only root can become one'
fi
stop

start env "WINNOW_IDENTIFIER=\$(touch $work/done)"
check 'a shell completes the number of a process with a hostile name' grep -qx "$pid" <<<"$(completed '')"
check 'and does not execute that' test ! -e "$work/done"
stop

start env WINNOW_CONTROL=read WINNOW_IDENTIFIER=closed
check 'a process that lets others only read says so' \
  refuses 'the process lets others only read its levels' "$winnow" set closed debug
check 'and how old its accounts are' \
  grep -qE 'as of .*, [0-9]+ s ago: it lets nobody ask for newer ones' <<<"$("$winnow" status closed)"
stop

start env WINNOW_CONTROL=off WINNOW_IDENTIFIER=hidden
check 'a process that hides its log is not listed' lists_none hidden
check 'and its status says what may be the reason' \
  refuses 'WINNOW_CONTROL=off hides its log' "$winnow" status "$pid"
stop

start env WINNOW_IDENTIFIER=alone Tests/Kernel/older.py memory
next
check 'a process without memory files logs' test "$(grep -c next "$work/err")" = 1
check 'and is not listed' lists_none alone
check 'and its status says what may be the reason' \
  refuses 'its system permits no memory files (memfd_create)' "$winnow" status "$pid"
stop

start env WINNOW_IDENTIFIER=member
unit=winnow-test-$$.service
for folder in /sys/fs/cgroup /sys/fs/cgroup/systemd; do
  group=$folder/$unit
  [[ -e $folder/cgroup.procs ]] && mkdir "$group" 2>/dev/null && break
  group=
done
if [[ -n $group ]]; then
  echo "$pid" >"$group/cgroup.procs"
  check 'a process is found by its unit' says "process $pid, member, run " "$unit"
  check 'which its status says' says ", unit $unit, floor" "$pid"
else
  echo 'skip - a process is found by its unit: this user may make no control group'
fi
stop
[[ -z $group ]] || rmdir "$group"

if unshare --pid --fork --mount-proc true 2>/dev/null; then
  start env WINNOW_IDENTIFIER=inside unshare --pid --fork --mount-proc
  check 'a process in namespaces of its own is listed with its number outside' \
    lists "$(pgrep -P "$pid")" inside
  stop
else
  echo 'skip - a process in namespaces of its own: this user may make none'
fi

check 'a process that is not there is said to be none' \
  refuses 'there is no such process' "$winnow" status 4194304
python3 -c 'import os, time; child = os.fork() or os._exit(0); print(child, flush=True); time.sleep(600)' \
  >"$work/zombie" &
parent=$!
until grep -q '^State:.Z' "/proc/$(cat "$work/zombie")/status" 2>/dev/null; do sleep 0.05; done
zombie=$(cat "$work/zombie")
check 'nor does one that has ended have a status' \
  refuses 'the process has ended' "$winnow" status "$zombie"
kill "$parent"
check 'a name that no process has is said to be none' \
  refuses 'no process that you may look at shows a log of that name' "$winnow" status nobody
start env WINNOW_IDENTIFIER=service
check 'and the nearest name is found' refuses "did you mean 'service'?" "$winnow" status servcie
stop
check 'and a command that there is none of finds the nearest' \
  grep -qF 'did you mean status?' <<<"$("$winnow" statsu 2>&1 || true)"
