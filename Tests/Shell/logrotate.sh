#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Has the real logrotate, and whoever moves folders, take a file of records away from under a program,
# and looks with `winnow verify` whether any record is missing in all files together.
#
#   Tests/Shell/logrotate.sh
#
# Prints `ok - TEXT` or `not ok - TEXT` for each test.

set -euo pipefail
cd "$(dirname "$0")/../.."

Tests/install-missing '/usr/sbin/logrotate=logrotate' >&2
read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
readonly flags=(--traits 'default,SwiftLog' "${more[@]}")
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product LogProgram "${flags[@]}" >&2
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product winnow "${flags[@]}" >&2
products=$(swift build "${flags[@]}" --show-bin-path)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly products work folder=$work/log log=$work/log/app.log

# Tests that the files, the oldest first, hold every record, each on a line of its own.
check() {
  local text=$1 count=$2 verdict
  shift 2
  gzip -cdf "$@" >"$work/all"
  if ((status != 0)); then
    echo "not ok - $text: the program ended with status $status"
  elif grep -qaP '\x00' "$work/all"; then
    echo "not ok - $text: a hole of zeros is in a file"
  elif ! verdict=$("$products/winnow" verify "$work/all" --complete 2>&1); then
    echo "not ok - $text"
    echo "$verdict" >&2
  elif (($(wc -l <"$work/all") != count)); then
    echo "not ok - $text: $(wc -l <"$work/all") lines, and not $count"
  else
    echo "ok - $text"
  fi
}

# Starts the program with the tasks; it stops at each step until `go`.
start() {
  rm -rf "$folder" "$work"/*.state "$work/log.old"
  mkdir "$folder"
  : >"$work/out"
  rm -f "$work/steps"
  mkfifo "$work/steps"
  WINNOW_SINKS=file:$log WINNOW_FORMAT=json WINNOW_DELIVERY=$mode WINNOW_OVERFLOW=block=10s \
    "$products/LogProgram" "$@" no-status <"$work/steps" >"$work/out" 2>"$work/err" &
  program=$!
  exec 9>"$work/steps"
}

await() {
  local rounds
  for ((rounds = 0; rounds < 600; rounds++)); do
    ! grep -q "^$1\$" "$work/out" || return 0
    sleep 0.05
  done
  return 1
}

go() {
  echo >&9
}

finish() {
  exec 9>&-
  status=0
  wait "$program" || status=$?
}

# Rotates with the given lines of configuration.
rotate() {
  {
    echo "$log {"
    printf '  %s\n' 'rotate 50' 'size 1' 'nodateext' "$@"
    echo '}'
  } >"$work/logrotate.conf"
  logrotate -f -s "$work/logrotate.state" "$work/logrotate.conf"
}

# Whether the program has a file open that is called so now.
has_open() {
  find "/proc/$program/fd" -lname "$1" 2>/dev/null | grep -c . >/dev/null
}

# Waits until the program has the new file open and not the old one, before it logs anything.
await_reopening() {
  local rounds
  for ((rounds = 0; rounds < 600; rounds++)); do
    ! has_open "$log" || has_open "$log.1" || return 0
    sleep 0.05
  done
  echo "not ok - SIGHUP opens the new file without a record, $mode"
}

# Waits until the file holds records, or none will come.
await_records() {
  until [[ -s $log ]]; do
    kill -0 "$program" 2>/dev/null || return 0
    sleep 0.02
  done
}

for mode in immediate deferred; do
  start burst=300 flush step=one burst=300 flush step=two burst=300
  await one && rotate create && sleep 0.2 && go
  await two && rotate create && sleep 0.2 && go
  finish
  check "logrotate with create loses nothing, $mode" 900 "$log.2" "$log.1" "$log"
  [[ -s $log && -s $log.1 && -s $log.2 ]] || echo "not ok - each file has its records, $mode"

  start threads=4,20000 flush
  await_records
  beside=0
  for ((round = 0; round < 3; round++)); do
    rotate create delaycompress compress
    # Not before the program writes to the new file: what logrotate compresses must be at rest.
    await_records
    [[ ! -s $log ]] || ((++beside))
  done
  ((beside > 0)) || echo "not ok - it logs on when its file is rotated, $mode"
  finish
  mapfile -t old < <(ls -rv "$log".*)
  check "logrotate beside four threads that log loses nothing, $mode" 80000 "${old[@]}" "$log"

  start burst=300 flush step=one burst=300
  await one && rotate copytruncate && go
  finish
  check "logrotate with copytruncate leaves no hole, $mode" 600 "$log.1" "$log"

  start reopen-on-hangup burst=300 flush step=one burst=300
  await one && rotate create "postrotate" "kill -HUP $program" endscript
  await_reopening
  gzip "$log.1" && go
  finish
  check "SIGHUP opens the new file at once, $mode" 600 "$log.1.gz" "$log"

  start burst=300 flush step=one burst=10 flush step=two burst=300
  await one && mv "$folder" "$work/log.old" && mkdir "$folder" && sleep 0.2 && go
  await two && sleep 0.2 && go
  finish
  check "a folder that was replaced gets a file again, $mode" 610 "$work/log.old/app.log" "$log"
done
