#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Kills, stops and restarts the real journald under a program that logs, and looks with `winnow verify`
# whether the journal has every number or a report of its loss.
#
#   Tests/Shell/journald-faults.sh
#
# In a mount namespace of its own, with Tests/Journal/hold_sockets.py in the place of systemd, which
# keeps journald's sockets while journald is away. Prints `ok - TEXT`, `not ok - TEXT` or `skip - TEXT`.

set -euo pipefail

if [[ ${1-} != --within ]]; then
  cd "$(dirname "$0")/../.."
  unshare -m true 2>/dev/null \
    || { echo 'skip - faults of journald: mount namespaces need root'; exit 0; }
  exec unshare -m "$PWD/Tests/Shell/journald-faults.sh" --within
fi

Tests/install-missing '/lib/systemd/systemd-journald=systemd' '/usr/bin/jq=jq' \
  '/usr/lib/python3/dist-packages/systemd/journal.py=python3-systemd' >&2
read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
readonly flags=(--traits 'default,SwiftLog' "${more[@]}")
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product LogProgram "${flags[@]}" >&2
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product winnow "${flags[@]}" >&2
products=$(swift build "${flags[@]}" --show-bin-path)
work=$(mktemp -d)
readonly products work
# shellcheck source=Tests/Journal/own_journald.sh
source Tests/Journal/own_journald.sh
trap 'end_journald; rm -rf "$work"' EXIT
export WINNOW_SINKS=journald WINNOW_OVERFLOW=block=10s

account() {
  sed -nE "s|^status sink journald .*\b$1 ([0-9]+).*|\1|p" "$work/out"
}

# Tests that the account adds up and that no number is missing without a report, but for as many as are
# allowed: what journald had taken from its socket when it was killed.
check() {
  local text=$1 allowed=${2:-0} verdict missing count
  settle
  # What journald does not take before the end of the program is told on standard error, and there only.
  while read -r count; do
    allowed=$((allowed + count))
  done < <(sed -nE 's/.*journald: lost ([0-9]+) records? .*/\1/p' "$work/err")
  # What was queued when the program counted was delivered before its end, or reported as lost.
  if (($(account accepted) != $(account delivered) + $(account lost) + $(account queued))); then
    echo "not ok - $text: the account does not add up: $(grep '^status sink' "$work/out")"
    return
  fi
  verdict=$("$products/winnow" verify --journal --identifier "$identifier" --complete 2>&1) || true
  missing=$(sed -nE 's/.*FAILS: ([0-9]+) numbers? (is|are) missing without a report.*/\1/p' <<<"$verdict")
  if ((faults == 0)); then
    echo "not ok - $text: the program had logged before the first fault"
  elif ((${missing:-0} > allowed)) || ! grep -q 'nothing was lost\|FAILS' <<<"$verdict"; then
    echo "not ok - $text"
    echo "$verdict" >&2
  else
    echo "ok - $text ($(account delivered) delivered, $(account lost) lost and reported," \
      "${missing:-0} in journald's hands)"
  fi
}

# Runs the program in the background, with an identifier of its own.
start() {
  identifier=winnow-$RANDOM-$RANDOM
  : >"$work/out"
  WINNOW_IDENTIFIER=$identifier WINNOW_DELIVERY=$mode \
    "$products/LogProgram" "$@" <"${input:-/dev/null}" >"$work/out" 2>"$work/err" &
  program=$!
}

# Waits for a word of the program's.
await() {
  until grep -q "^$1\$" "$work/out"; do
    kill -0 "$program" 2>/dev/null || return 0
    sleep 0.05
  done
}

finish() {
  wait "$program" || echo "not ok - the program ended with status $?"
}

# Brings a fault about some times while the program logs: the first time when the journal has records of it.
repeatedly() {
  local round
  until [[ -n $(journalctl -q -n 1 -t "$identifier" 2>/dev/null) ]]; do
    kill -0 "$program" 2>/dev/null || break
    sleep 0.02
  done
  faults=0
  for ((round = 0; round < 4; round++)); do
    kill -0 "$program" 2>/dev/null || return 0
    "$@"
    ((++faults))
    sleep 0.1
  done
}

end_by() {
  kill "-$1" "$(<"$work/pid")" 2>/dev/null || true
}

pause_for() {
  end_by STOP
  sleep "$1"
  end_by CONT
}

make_world RateLimitIntervalSec=0 RateLimitBurst=0 RuntimeMaxUse=512M
begin_journald
for mode in immediate deferred; do
  start threads=8,4000 flush
  repeatedly end_by TERM
  finish
  check "a journald that is restarted loses nothing, $mode"

  start threads=8,4000 flush
  repeatedly end_by KILL
  finish
  # Each time the one that it was about to store, and those which its files had not on disk.
  check "a journald that is killed loses what it had in hand at most, $mode" 40

  start threads=8,4000 flush
  repeatedly pause_for 1
  finish
  check "a journald that is stopped for seconds loses nothing in silence, $mode"
done

# A file beside a journald that is stopped, while less than 4 MiB waits for it: the file has all meanwhile.
for mode in immediate deferred; do
  mkfifo "$work/steps"
  exec 9<>"$work/steps"
  WINNOW_SINKS="journald,file:$work/beside" input=$work/steps start \
    burst=10 flush step=ready burst=30000 step=logged flush=600
  await ready
  end_by STOP
  echo >&9
  await logged
  deadline=$((SECONDS + 300))
  until (($(grep -c '\[program\] ' "$work/beside") == 30010 || SECONDS > deadline)); do sleep 0.05; done
  written=$(grep -c '\[program\] ' "$work/beside")
  end_by CONT
  echo >&9
  exec 9>&-
  finish
  settle
  stored=$(journalctl -q -o cat -t "$identifier" CATEGORY=program | wc -l)
  waited=$(account waited)
  if ((written == 30010 && stored == 30010 && waited > 2 << 20 && waited < 4 << 20)) \
    && [[ $(account lost) == 0 ]]; then
    echo "ok - a file beside a stopped journald has all, and the journal gets all, $mode ($waited bytes waited)"
  else
    echo "not ok - a file beside a stopped journald has all, and the journal gets all, $mode"
    { echo "$written written, $stored stored" && cat "$work/out" "$work/err"; } >&2
  fi
  rm "$work/steps" "$work/beside"
done

# With no descriptor left, a large entry waits, as it needs one of its own; small ones do not come before it.
for mode in immediate deferred; do
  mkfifo "$work/steps"
  exec 9<>"$work/steps"
  WINNOW_SINKS='journald?size=2M' input=$work/steps start burst=10 flush step=limited big=1000000 burst=10 flush step=waiting \
    burst=10 flush
  await limited
  limit=$(prlimit --pid "$program" --nofile --noheadings -o SOFT)
  prlimit --pid "$program" --nofile=3:
  echo >&9
  await waiting
  prlimit --pid "$program" --nofile="$limit":
  echo >&9
  exec 9>&-
  finish
  rm "$work/steps"
  faults=$(sed -nE 's/^status sink journald .* waited ([0-9]+).*/\1/p' "$work/out")
  check "no descriptor for a memory file: nothing is lost, $mode"
  journalctl -q -o cat -t "$identifier" CATEGORY=program \
    | awk '{print length($0) < 99 ? $0 : length($0)}' >"$work/entries"
  if cmp -s "$work/entries" <(seq 0 9; echo 1000000; seq 0 9; seq 0 9) && journalctl -q -o cat \
    -t "$identifier" CATEGORY=winnow | grep -c 'takes records again; .* Too many open files' >/dev/null; then
    echo "ok - and the entries are in order, with a word of it behind them, $mode"
  else
    echo "not ok - and the entries are in order, with a word of it behind them, $mode"
    tail -n 40 "$work/entries" >&2
  fi
done

mode=immediate
start say=plain fields big=200000 private levels $'say=two\nlines' $'say=\x01\e[31m' errno flush
finish
settle
if verdict=$(Tests/Journal/send_again.py "$identifier" 2>&1); then
  echo "ok - sd_journal_sendv stores the same, field by field ($verdict)"
else
  echo 'not ok - sd_journal_sendv stores the same, field by field'
  echo "$verdict" >&2
fi
end_journald

rm -rf /run/systemd/journal/*
mkfifo "$work/steps"
exec 9<>"$work/steps"
input=$work/steps start burst=10 flush step=absent burst=10 flush
await absent
begin_journald
# The sink leaves a path that refused alone for 100 ms, and journald may be there sooner.
sleep 0.3
echo >&9
exec 9>&-
finish
settle
if (($(grep -c '\] [0-9]$' "$work/err") == 10)) \
  && (($(journalctl -q -o cat "SYSLOG_IDENTIFIER=$identifier" | grep -c '^[0-9]$') == 10)); then
  echo 'ok - a journald that comes later gets what is logged from then on, stderr what was before'
else
  echo 'not ok - a journald that comes later gets what is logged from then on'
  cat "$work/err" >&2
fi
end_journald

# What systemd does for a unit with LogNamespace=: the sockets of the namespace in the usual place.
cp /run/systemd/journald.conf.d/winnow.conf /run/systemd/journald@winnow.conf 2>/dev/null || true
mkdir -p /run/systemd/journal.winnow
begin_journald winnow
mount --bind /run/systemd/journal.winnow /run/systemd/journal
start threads=2,50 flush
finish
settle
count=$(journalctl -q --namespace=winnow -o cat "SYSLOG_IDENTIFIER=$identifier" | wc -l)
if ((count == 100)); then
  echo 'ok - a namespace of the journal gets its records'
else
  echo "not ok - a namespace of the journal gets its records: $count of 100"
  cat "$work/err" "$work/journald" >&2
fi

# A program whose standard error is the namespace's, as that of a unit is, and which is told nothing.
unset WINNOW_SINKS
identifier=winnow-$RANDOM-$RANDOM
WINNOW_IDENTIFIER=$identifier python3 -c '
import os, socket, sys
stream = socket.socket(socket.AF_UNIX)
stream.connect("/run/systemd/journal.winnow/stdout")
stream.sendall(b"stream\n\n6\n1\n0\n0\n0\n")
os.dup2(stream.fileno(), 2)
os.execv(sys.argv[1], sys.argv[1:])' "$products/LogProgram" levels flush no-status >"$work/out"
settle
found=$(journalctl -q --namespace=winnow -o json "SYSLOG_IDENTIFIER=$identifier" \
  | jq -r '"\(._TRANSPORT) \(.PRIORITY)"' | paste -sd ,)
if [[ $found == 'journal 0,journal 1,journal 2,journal 3,journal 4,journal 5' ]]; then
  echo 'ok - standard error that is a namespace of the journal is known as the journal'
else
  echo "not ok - standard error that is a namespace of the journal is known as the journal: $found"
fi
