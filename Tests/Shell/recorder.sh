#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs that record, from outside: where no file can be, the file's mode, several starts at once, starts that are killed
# amid a recovery, the OOM killer, and a program that was replaced before it is recovered.
#
#   Tests/Shell/recorder.sh
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
Tests/install-missing '/usr/bin/jq=jq' '/usr/bin/setpriv=util-linux' >&2

folder=$(mktemp -d /dev/shm/winnow-recorder.XXXXXX)
readonly folder small=$work/small log=$work/log.json
at_exit() {
  umount "$small" 2>/dev/null || true
  rmdir "${group:-}" 2>/dev/null || true
  rm -rf "$folder" "$work"
}
trap at_exit EXIT
export WINNOW_DELIVERY=deferred

# Runs the program with a folder to record in, whose record is to be on stderr with a text before it.
says() {
  local text=$1 where=$2
  shift 2
  WINNOW_RECORDER=$where WINNOW_SINKS=stderr "$@" "$program" say=hello no-status >/dev/null 2>"$work/said"
  grep -qF -- "$text" "$work/said" && grep -q 'hello$' "$work/said" && return
  cat "$work/said" >&2
  return 1
}

check 'a folder that is missing is said' says "'/nowhere': No such file" /nowhere
if [[ $(stat -f -c %T "$work") != tmpfs ]]; then
  check 'a folder on a disk is refused' says "'$work' does not lie on a tmpfs" "$work"
else
  echo 'skip - a folder on a disk is refused (temporary files lie on a tmpfs here)'
fi
mkdir "$small"
if ((EUID == 0)) && mount -t tmpfs -o size=64k none "$small" 2>/dev/null; then
  check 'a full tmpfs is said' says 'has no room for 16777216 bytes' "$small"
  check 'and nothing is left there' [ -z "$(ls "$small")" ]
else
  echo 'skip - a full tmpfs is said (nothing can be mounted here)'
fi
chmod 711 "$work"
if ((EUID == 0)) && setpriv --reuid nobody --clear-groups test -x "$program"; then
  check "another user's folder is said" says "'$folder': Permission denied" "$folder" \
    setpriv --reuid nobody --clear-groups
else
  echo "skip - another user's folder is said (nobody cannot run the program here)"
fi

# Kills programs with the identifier `dead`, each with 201 records, most of which lie in a ring.
kill_programs() {
  local number
  for ((number = 0; number < $1; number++)); do
    WINNOW_IDENTIFIER=dead WINNOW_RECORDER=$folder WINNOW_SINKS="file:$log?format=json" \
      "$program" say=first burst=200 die=9 no-status || true
  done 2>/dev/null
}

# Starts a program that recovers, for a second.
start() {
  WINNOW_IDENTIFIER=dead WINNOW_RECORDER=$folder WINNOW_SINKS="file:$log?format=json" \
    "$program" say=start sleep=1 no-status
}

# Starts programs until no file is left.
start_until_done() { until [[ -z $(ls "$folder") ]]; do start; done; }

# Prints run and number of the killed programs' records: all, or those that were recovered.
records() { jq -r "select(.message != \"start\" and .sequence > 0) | $1 \"\(.run) \(.sequence)\"" "$log"; }
has_each() { (($(records '' | sort -u | wc -l) == $1)); }
recovers_more_than() { (($(records 'select(.fields.recovered) |' | sort -u | wc -l) > $1)); }
recovers_none_twice() { [[ -z $(records 'select(.fields.recovered) |' | sort | uniq -d) ]]; }

WINNOW_RECORDER=$folder WINNOW_SINKS=stderr "$program" say=hello sleep=2 no-status 2>/dev/null &
until [[ -n $(ls "$folder") ]]; do sleep 0.05; done
check 'only its user can read the file' [ "$(stat -c %a "$folder"/*)" = 600 ]
wait
check 'which is gone when the program has ended' [ -z "$(ls "$folder")" ]

kill_programs 8
check 'killed programs leave their files' [ "$(find "$folder" -type f | wc -l)" = 8 ]
for ((starter = 0; starter < 4; starter++)); do start & done
wait
start_until_done
check 'four programs that start at once recover all of it' has_each $((8 * 201))
check 'and nothing twice' recovers_none_twice

rm "$log"
kill_programs 8
for ((kill = 0; kill < 30; kill++)); do
  start &
  sleep "0.00$((RANDOM % 10))"
  kill -KILL $! 2>/dev/null || true
  wait $! 2>/dev/null || true
done 2>/dev/null
start_until_done
# A program that was killed in its recovery has logged nothing itself.
check 'what is killed amid its recovery is gone on with' has_each $((8 * 201))

rm "$log"
WINNOW_IDENTIFIER=dead WINNOW_RECORDER=$folder WINNOW_SINKS="file:$log?format=json" \
  "$program" say=before burst=200 exec=say=after no-status >/dev/null 2>&1
start_until_done
check 'what a process has logged before it is another program is recovered' has_each 202

# The literals stand in the program's file, which is another one by now, or is still there beside the one that runs.
cp "$program" "$work/copied"
# Their records wait, as there is no folder for the log.
for path in "$work/copied" "$program"; do
  WINNOW_RECORDER=$folder WINNOW_SINKS="file:$work/missing/log" "$path" levels die=9 no-status || true
done 2>/dev/null
cp "$(type -P true)" "$work/copied"
"$winnow" recover "$folder" >"$work/recovered" 2>"$work/said"
check 'of a program that was replaced, values and levels stay' \
  grep -qE 'critical +\[program\] <unknown literal>critical recovered=true' "$work/recovered"
check 'of one whose file is still there, all' grep -qE 'critical +\[program\] level critical recovered=true' \
  "$work/recovered"

# What the kernel kills for its memory: a group with a limit, in either version of the hierarchy.
group=
for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
  if mkdir "$root/winnow-$$" 2>/dev/null; then
    group=$root/winnow-$$
    break
  fi
done
limit() {
  echo $((96 << 20)) >"$group/memory.limit_in_bytes" 2>/dev/null || echo $((96 << 20)) >"$group/memory.max" 2>/dev/null
}
if [[ -n $group ]] && limit; then
  rm -f "$log"
  {
    bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" \
      env WINNOW_IDENTIFIER=dead WINNOW_RECORDER="$folder" WINNOW_SINKS=stdout \
      "$program" say=first burst=5000 eat no-status > >(exec sleep 5) || true
  } 2>/dev/null
  start_until_done
  # The pipe, which nobody reads, has taken some hundred.
  check 'what the OOM killer ends is recovered' recovers_more_than 3000
else
  echo 'skip - what the OOM killer ends is recovered (no group of processes can be limited here; SIGKILL is its signal)'
fi
