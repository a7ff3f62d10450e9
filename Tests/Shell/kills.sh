#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Kills a program that records, at random moments amid the logging of eight threads, and looks at what became of each
# record whose call had returned: it is in the log, recovered, or reported as lost.
#
#   Tests/Shell/kills.sh [COUNT]
#
# COUNT is the number of kills, 300 unless told. The programs deliver deferred and at once, to a file, to a pipe whose
# reader is slow, and to one that nobody reads.
#
# Prints `ok - TEXT` or `not ok - TEXT` for each test.
#
# Environment: WINNOW_TEST_BUILT        not empty: what is built is up to date
#              WINNOW_TEST_SWIFT_FLAGS  more flags for `swift build`

set -euo pipefail
cd "$(dirname "$0")/../.."
readonly count=${1:-300} threads=8

# shellcheck source=log_program.sh
source Tests/Shell/log_program.sh
# shellcheck source=check.sh
source Tests/Shell/check.sh
Tests/install-missing '/usr/bin/python3=python3' >&2

folder=$(mktemp -d /dev/shm/winnow-kills.XXXXXX)
at_exit() { rm -rf "$folder"; }
trap 'at_exit; rm -rf "$work"' EXIT
readonly folder log="$work/log.json"
export WINNOW_RECORDER=$folder WINNOW_IDENTIFIER=killed

# Runs a command with its standard output to a pipe, whose reader reads nothing until the command is dead, or a kilobyte now
# and then: what was in the pipe by then counts as delivered.
unread() {
  "$@" > >(until [[ -e $work/dead.$kill ]]; do sleep 0.02; done; exec cat >"$work/pipe.$kill.json") &
}
slow() {
  "$@" > >(until [[ -e $work/dead.$kill ]]; do sleep 0.02; head -c 1024 >>"$work/pipe.$kill.json"; done
    exec cat >>"$work/pipe.$kill.json") &
}

# Starts the program for the K-th kill, as the number says.
begin() {
  local kill=$1 file="file:$log?format=json" pipe="stdout?format=json"
  local -a command=("$program" "killed=$kill,$threads,$work/accepted.$kill" no-status)
  case $((kill % 6)) in
    0) WINNOW_DELIVERY=deferred WINNOW_SINKS=$file "${command[@]}" & ;;
    1) WINNOW_DELIVERY=immediate WINNOW_SINKS=$file "${command[@]}" & ;;
    2) WINNOW_DELIVERY=deferred WINNOW_SINKS="$file,$pipe" slow "${command[@]}" ;;
    3) WINNOW_DELIVERY=deferred WINNOW_SINKS=$pipe unread "${command[@]}" ;;
    4) WINNOW_DELIVERY=immediate WINNOW_SINKS=$pipe unread "${command[@]}" ;;
    5) WINNOW_DELIVERY=deferred WINNOW_OVERFLOW=block=50ms WINNOW_SINKS=$file "${command[@]}" & ;;
  esac
  pid=$!
}

for ((kill = 1; kill <= count; kill++)); do
  begin "$kill" 2>>"$work/stderr"
  until [[ -s $work/accepted.$kill ]]; do sleep 0.002; done
  sleep "0.0$((RANDOM % 90 + 10))"
  kill -KILL "$pid"
  : >"$work/dead.$kill"
  wait "$pid" 2>>"$work/stderr" || true
done
check "each kill leaves a file, or what was there was recovered" [ -n "$(ls "$folder")" ]

# What is left goes to the log; the last program recovers until nothing is left.
WINNOW_SINKS="file:$log?format=json" "$program" say=last wait no-status < <(
  until (($(find "$folder" -type f | wc -l) <= 1)); do sleep 0.2; done
)
check "the folder is empty at the end" [ -z "$(ls "$folder")" ]

# The readers of the pipes.
wait
python3 - "$log" "$work" "$count" "$threads" <<'PYTHON' >"$work/summary"
import glob, json, re, struct, sys
log, work, kills, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
seen, identities, lost, runs = {}, {}, {}, {}
twice = recovered = cut = forged = apart = 0
lines = [line for path in [log] + glob.glob(f'{work}/pipe.*.json') for line in open(path, encoding='utf-8', errors='replace')]
for line in lines:
    try:
        record = json.loads(line)
    except ValueError:
        # What the kernel was about to write when the process was killed: it is there once more, and whole.
        cut += 1
        continue
    fields, run = record.get('fields', {}), record['run']
    recovered += 'recovered' in fields
    if record['category'] == 'winnow':
        if 'winnow_lost' in fields:
            lost.setdefault(run, set()).add((fields['winnow_lost'], fields.get('winnow_lost_first')))
        continue
    match = re.fullmatch(r'kill (\d+) thread (\d+) number (\d+)( x*)?', record['message'])
    if match:
        key = tuple(map(int, match.groups()[:3]))
        number = (run, record['sequence'], record['level_sequence'])
        twice += identities.setdefault(key, number) != number
        seen.setdefault(key[:2], set()).add(key[2])
        runs[key[0]] = run
    elif record['message'].startswith('<a message of ') and 'recovered' in fields:
        seen.setdefault(run, set()).add(record['sequence'])
    elif record['message'] != 'last':
        forged += 1
whole = {(run, sequence) for run, sequence, _ in identities.values()}
accepted = missing = unknown = 0
for kill in range(1, kills + 1):
    gone = 0
    for thread, number in enumerate(struct.unpack(f'{threads}Q', open(f'{work}/accepted.{kill}', 'rb').read())):
        accepted += number
        have = seen.get((kill, thread), set())
        gone += len(set(range(1, number + 1)) - have)
        unknown += bool(have) and max(have) > number + 1
    run = runs.get(kill)
    # Those of which only the message is missing, unless it is there as well.
    alone = sum((run, sequence) not in whole for sequence in seen.get(run, ()))
    apart += alone
    reported = sum(count for count, _ in lost.get(run, ())) + alone
    if gone > reported:
        missing += gone - reported
        print(f'kill {kill} ({kill % 6}): {gone} records are not there, {reported} reported', file=sys.stderr)
print(f'kills {kills} accepted {accepted} recovered {recovered} apart {apart} cut {cut}')
print(f'missing {missing} twice {twice} forged {forged + unknown}', end='')
print(' few cut' if cut <= 2 * kills else '')
PYTHON
summary=$(<"$work/summary")
printf '%s\n' "$summary" >&2
has() { grep -qE "(^| )$1( |$)" "$work/summary"; }
check "every record is in the log, recovered or reported" has "missing 0"
check "no record is there under two numbers" has "twice 0"
check "no line is damaged, and none says what nobody has logged" has "forged 0"
check "only what was being written is cut" has "few cut"
check "records were recovered" has "recovered [1-9][0-9]*"
