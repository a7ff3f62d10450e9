#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a program on a machine that has no zlib, and on one that has no OpenSSL: what needs them says so
# once, and nothing else is lost.
#
#   Tests/Shell/missing-libraries.sh
#
# In a mount namespace whose folder of libraries is an overlay from which the library is removed. Needs
# root. Prints `ok - TEXT`, `not ok - TEXT` or `skip - TEXT` for each test.

set -euo pipefail

if [[ ${1-} != --within ]]; then
  cd "$(dirname "$0")/../.."
  unshare -m true 2>/dev/null \
    || { echo 'skip - missing libraries: mount namespaces need root'; exit 0; }
  exec unshare -m "$PWD/Tests/Shell/missing-libraries.sh" --within
fi
mount --make-rprivate /

Tests/install-missing '/usr/bin/jq=jq' '/usr/bin/python3=python3' >&2
read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
readonly flags=(--traits 'default,SwiftLog' "${more[@]}")
swift build --product LogProgram "${flags[@]}" >&2
swift build --product winnow "${flags[@]}" >&2
products=$(swift build "${flags[@]}" --show-bin-path)
work=$(mktemp -d)
server=''
readonly products work log=$work/app.log
trap '[[ -z $server ]] || kill "$server" 2>/dev/null; umount -l "$work/upper" 2>/dev/null; rm -rf "$work"' EXIT

# Tests that the command, which is given after the text, succeeds.
check() {
  local text=$1
  shift
  if "$@"; then
    echo "ok - $text"
  else
    echo "not ok - $text"
    tail -n 5 "$work/err" "$log" >&2 || true
  fi
}

# Removes a library from this namespace, as a machine has it that never had it.
hide() {
  local library folder
  library=$(/sbin/ldconfig -p | awk -v name="$1" '$1 == name && !found++ {print $NF}')
  [[ -n $library ]] || return 0 # it is missing anyway
  folder=$(dirname "$(realpath "$library")")
  mkdir -p "$work/upper"
  # The upper folder of an overlay must not be on one itself, as in a container /tmp may be.
  mountpoint -q "$work/upper" || mount -t tmpfs none "$work/upper"
  mkdir -p "$work/upper/$1/files" "$work/upper/$1/work"
  mount -t overlay none \
    -o "lowerdir=$folder,upperdir=$work/upper/$1/files,workdir=$work/upper/$1/work" "$folder"
  rm -f "$folder/$1"*
}

# The number behind a word in the account of a sink.
account() {
  sed -nE "s|^status sink $1.* $2 ([0-9]+).*|\1|p" "$work/out"
}

# The records of Winnow's own whose message begins so.
count_own() {
  jq -sr --arg text "$1" '[.[] | select(.category == "winnow" and (.message | startswith($text)))] | length' \
    "$log"
}

is_whole() {
  "$products/winnow" verify "$log" | grep -c 'nothing was lost' >/dev/null
}

are_plain() {
  local files
  files=("$log".*)
  ((${#files[@]} >= 3)) && [[ ${files[*]} != *.gz* ]] && ! grep -qlI $'^\x1f\x8b' "${files[@]}"
}

# Rotates, and logs on until the file has the word of it: old files are compressed a while later.
log_without_zlib() {
  local round status=0 tasks=(burst=600 flush)
  for ((round = 0; round < 40; round++)); do tasks+=(step=more say=more flush); done
  tasks+=(burst=600 flush step=last say=last flush)
  mkfifo "$work/steps"
  WINNOW_SINKS="file:$log?rotate=32K&keep=50&compress=gzip" WINNOW_FORMAT=json \
    "$products/LogProgram" "${tasks[@]}" <"$work/steps" >"$work/out" 2>"$work/err" &
  local program=$!
  exec 9>"$work/steps"
  for ((round = 0; round < 40; round++)); do
    sleep 0.25
    ! grep -q 'libz.so.1 is missing' "$log" 2>/dev/null || break
    echo >&9
  done
  for ((; round < 40; round++)); do echo >&9; done
  # It has rotated once more, which must not be said again.
  for ((round = 0; round < 100; round++)); do
    ! grep -q '^last$' "$work/out" || break
    sleep 0.05
  done
  sleep 1.5
  echo >&9
  exec 9>&-
  wait "$program" || status=$?
  rm "$work/steps"
  return "$status"
}

# Only its first bytes say that a file is compressed.
names_what_it_cannot_decompress() {
  local status=0
  printf '\x1f\x8b\x08' >"$log.9.gz"
  "$products/winnow" verify "$log" "$log.9.gz" >"$work/out" 2>"$work/err" || status=$?
  ((status == 2)) && [[ ! -s $work/out ]] \
    && grep -q "^winnow: $log.9.gz: is compressed, and libz.so.1, which reads it, cannot be loaded: " \
      "$work/err"
}

# A server that accepts connections and says nothing.
start_server() {
  python3 -c '
import socket, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
held = []
while True: held.append(listener.accept())' >"$work/port" &
  server=$!
  until [[ -s $work/port ]]; do sleep 0.05; done
  port=$(<"$work/port")
}

# Logs until the file has the word of the outage, half a minute at most, and then some more.
log_without_openssl() {
  local rounds status=0
  mkfifo "$work/steps"
  WINNOW_SINKS="syslog+tls://127.0.0.1:$port,file:$log" WINNOW_FORMAT=json \
    "$products/LogProgram" burst=20000 step=waits levels <"$work/steps" >"$work/out" 2>"$work/err" &
  local program=$!
  exec 9>"$work/steps"
  for ((rounds = 0; rounds < 300; rounds++)); do
    ! grep -q 'has taken no records' "$log" 2>/dev/null || break
    sleep 0.1
  done
  echo >&9
  exec 9>&-
  wait "$program" || status=$?
  return "$status"
}

adds_up() {
  local accepted=$1
  (($(account "$2" accepted) == accepted)) \
    && ((accepted == $(account "$2" delivered) + $(account "$2" queued) + $(account "$2" lost)))
}

# Python itself needs zlib.
start_server
if ! hide libz.so.1 2>"$work/why"; then
  echo "skip - missing libraries: no overlay here: $(head -n 1 "$work/why")"
  exit 0
fi
check 'a program without zlib ends as others do' log_without_zlib
check 'it says once that zlib is missing' [ "$(cat "$log"* | jq -s '[.[] | select(.message
  | endswith("are not compressed: libz.so.1 is missing"))] | length')" = 1 ]
check 'its old files stay as they are' are_plain
check 'its account knows of no loss' [ "$(account file: lost)" = 0 ]
check 'the tool names the file that it cannot read without zlib' names_what_it_cannot_decompress
rm -f "$log"*

hide libssl.so.3
check 'a program without OpenSSL ends as others do' log_without_openssl
check 'the other log says once that OpenSSL is missing' [ "$(count_own \
  "syslog+tls://127.0.0.1:$port has taken no records for ")" = 1 ]
check 'it says it in words' grep -q 's: OpenSSL 3 is missing: libssl.so.3 cannot be loaded' "$log"
check 'the other log has all records' [ "$(account file: delivered)" = 20006 ]
check 'no number is missing in it' is_whole
check 'the account of the sink adds up' adds_up 20006 syslog.tls
check 'what it does not get is told in the other log, with the reason' grep -qE \
  '"syslog\+tls:\S+: lost [0-9]+ records .*; OpenSSL 3 is missing' "$log"
