#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Gives the real journald limits, so that it takes entries and does not store them, and looks what
# `winnow verify` says of that.
#
#   Tests/Shell/journald-limits.sh
#
# In a mount namespace of its own. A control group makes the unit by which journald's rate limit counts.
# Prints `ok - TEXT`, `not ok - TEXT` or `skip - TEXT`.

set -euo pipefail

if [[ ${1-} != --within ]]; then
  cd "$(dirname "$0")/../.."
  unshare -m true 2>/dev/null \
    || { echo 'skip - limits of journald: mount namespaces need root'; exit 0; }
  exec unshare -m "$PWD/Tests/Shell/journald-limits.sh" --within
fi

Tests/install-missing '/lib/systemd/systemd-journald=systemd' '/usr/bin/jq=jq' >&2
read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
readonly flags=(--traits 'default,SwiftLog' "${more[@]}")
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product LogProgram "${flags[@]}" >&2
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product winnow "${flags[@]}" >&2
products=$(swift build "${flags[@]}" --show-bin-path)
work=$(mktemp -d)
readonly products work
slice=''
# shellcheck source=Tests/Journal/own_journald.sh
source Tests/Journal/own_journald.sh
trap 'end_journald; remove_units; rm -rf "$work"' EXIT
export WINNOW_SINKS=journald WINNOW_OVERFLOW=block=10s

# Finds where control groups can be made that journald takes for those of units.
find_slice() {
  local root
  while read -r root; do
    slice=$root/system.slice
    ! (mkdir -p "$slice/winnow-$$-probe.service" && enter probe) 2>/dev/null || return 0
    remove_units
  done < <(findmnt -rn -t cgroup2 -o TARGET)
  return 1
}

# Has this process be one of a unit.
enter() {
  mkdir -p "$slice/winnow-$$-$1.service"
  echo "$BASHPID" >"$slice/winnow-$$-$1.service/cgroup.procs"
}

remove_units() {
  local unit
  for unit in "$slice/winnow-$$-"*.service; do
    [[ ! -d $unit ]] || rmdir "$unit" || true
  done
  # Where systemd runs, it has units of its own, and stays.
  rmdir "$slice" 2>/dev/null || true
}

# Runs the program with an identifier, in a unit or in none.
run() {
  local unit=$1 identifier=$2
  shift 2
  [[ -z $unit ]] || enter "$unit"
  WINNOW_IDENTIFIER=$identifier exec "$products/LogProgram" "$@" no-status
}

# Runs it in a unit, and has it live until journald has read what it says: of a process that has ended journald
# does not know the unit.
run_until_read() {
  : >"$work/out"
  (run "$@" flush step=sent) <"$work/steps" >"$work/out" &
  until grep -q sent "$work/out"; do sleep 0.05; done
  settle
  echo >&9
  wait $!
}

# Tests what the tool says of the log of an identifier: its status, and the truth of what jq is asked of its
# report, with `missing` for the missing numbers.
expect() {
  local text=$1 identifier=$2 expected=$3 truth=$4 status=0 report
  report=$("$products/winnow" verify --journal --identifier "$identifier" --complete \
    --format json) || status=$?
  if ((status == expected)) && jq -e "def missing: [.runs[].levels[].missing] | add; $truth" \
    <<<"$report" >/dev/null; then
    echo "ok - $text"
  else
    echo "not ok - $text"
    echo "status $status: $report" >&2
  fi
}

make_world RateLimitIntervalSec=2s RateLimitBurst=100 RuntimeMaxUse=16M
# shellcheck disable=SC2119
begin_journald

if find_slice; then
  mkfifo "$work/steps"
  exec 9<>"$work/steps"
  (run first middle burst=5000 flush step=sent burst=10 flush) <"$work/steps" >"$work/out" &
  program=$!
  until grep -q sent "$work/out"; do sleep 0.05; done
  settle
  sleep 2.5
  echo >&9
  wait "$program"
  settle
  expect 'numbers that the rate limit has taken are missing, and journald is named as the cause' middle 1 \
    '.suppressed > 1000 and .suppressed == .unexplained and .unexplained == missing'
  if ! "$products/winnow" verify --journal --identifier middle >"$work/report" \
    && grep -qE "journald suppressed [0-9]+ messages of winnow-$$-first.service, as it says at 20" \
      "$work/report"; then
    echo 'ok - and the report for people says of which unit, when and why'
  else
    echo 'not ok - and the report for people says of which unit, when and why'
    cat "$work/report" >&2
  fi

  run_until_read second last burst=5000
  expect 'before journald says so, nothing tells of records behind the last one stored' last 0 \
    '.suppressed == 0 and missing == 0 and .records < 5000'
  sleep 2.5
  run_until_read second next say=hello
  expect 'when it has said so with the next message of the unit, they are not approved' last 1 \
    '.suppressed > 1000 and missing == 0'
  expect 'nor is the log of another program in the unit, as the records may be its own' next 1 \
    '.suppressed > 1000'

  (run '' other burst=5000 flush)
  settle
  expect 'a program in no unit has no limit' other 0 '.suppressed == 0 and .records == 5000'

  # A sink beside it. What journald suppresses it takes as fast as ever, so that nothing waits for it.
  (enter third && WINNOW_IDENTIFIER=beside WINNOW_DELIVERY=deferred WINNOW_OVERFLOW=drop \
    WINNOW_SINKS="journald,file:$work/log" exec "$products/LogProgram" burst=1000 flush) >"$work/out"
  settle
  stored=$(journalctl -q -o cat -t beside CATEGORY=program | wc -l)
  written=$(grep -c '\[program\] ' "$work/log") || true
  if ((stored < 1000 && written == 1000)) \
    && (($(grep -cE '^status sink .* delivered 1000 diverted 0 queued 0 lost 0 ' "$work/out") == 2)); then
    echo "ok - a file beside journald keeps all, and none is lost to its socket ($stored stored)"
  else
    echo 'not ok - a file beside journald keeps all, and none is lost to its socket'
    { echo "$stored stored, $written written" && cat "$work/out"; } >&2
  fi
else
  echo 'skip - the rate limit of journald: no control group can be made'
fi

# Its files have 2 MiB here. What would not fit into an empty one, it takes and forgets.
(WINNOW_SINKS='journald?size=8M' run '' sizes say=before big=1900000 say=between big=2100000 say=behind flush)
settle
expect 'an entry larger than a file of the journal is taken and missing, a smaller one is stored' sizes 1 \
  '.unexplained == 1 and .records == 4 and .suppressed == 0'
(run '' bounded say=before big=2100000 say=behind flush)
settle
expect 'without a size, an entry is cut to what journald stores in any case' bounded 0 \
  '.unexplained == 0 and .records == 3 and .suppressed == 0'
