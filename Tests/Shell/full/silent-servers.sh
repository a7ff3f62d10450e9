#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A server over TCP that stands still for longer than a minute, and one whose machine is gone without a
# word: the first gets every record once it reads on, the second is given up after a minute.
#
#   Tests/Shell/full/silent-servers.sh
#
# Needs root and network namespaces; takes a minute and a half. Prints `ok - TEXT`, `not ok - TEXT` or
# `skip - TEXT` for each test.

set -euo pipefail

if [[ ${1-} != --within ]]; then
  cd "$(dirname "$0")/../../.."
  unshare -n true 2>/dev/null \
    || { echo 'skip - silent servers: network namespaces need root'; exit 0; }
  Tests/install-missing '/usr/bin/python3=python3' '/sbin/ip=iproute2' >&2
  read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
  flags=(--traits 'default,SwiftLog' "${more[@]}")
  swift build --product LogProgram "${flags[@]}" >&2
  program=$(swift build "${flags[@]}" --show-bin-path)/LogProgram
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for test in standing gone; do
    unshare -n Tests/Shell/full/silent-servers.sh --within "$test" "$program" "$work" &
  done
  wait
  exit 0
fi

readonly test=$2 program=$3 out=$4/$2 port=10601
ip link set lo up

# Takes one connection, reads nothing for so many seconds, and then all; says how many messages came.
python3 - "$port" "$([[ $test == standing ]] && echo 75 || echo 0)" >"$out.server" <<'END' &
import re, socket, sys, time

server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
connection, _ = server.accept()
time.sleep(float(sys.argv[2]))
text = b""
try:
    while more := connection.recv(1 << 20):
        text += more
except OSError as error:
    print(error)
messages = set()
while header := re.match(rb"(\d+) ", text):
    end = header.end() + int(header[1])
    if len(text) < end:
        break
    messages.add(text[header.end():end])
    text = text[end:]
print(len(messages), len(text))
END
server=$!
until [[ -n $(ss -Hltn "sport = :$port") ]]; do sleep 0.05; done

fails() {
  echo "not ok - $1"
  cat "$out.log" "$out.server" >&2
}

# The word behind another one in the account of the server.
account() {
  sed -nE "s|^status sink syslog\S+ .*\b$1 ([0-9]+).*|\1|p" "$out.log"
}

run() {
  WINNOW_SINKS=syslog+tcp://127.0.0.1:$port "$program" "$@" >"$out.log" 2>&1
}

if [[ $test == standing ]]; then
  text='a server that stands still for 75 s gets all records'
  run burst=20000 sleep=80 say=more flush=60
  wait "$server"
  if (($(account delivered) == 20001)) && grep -qx '20001 0' "$out.server"; then
    echo "ok - $text"
  else
    fails "$text"
  fi
else
  text='a server whose machine is gone is given up after a minute'
  tasks=()
  for ((second = 0; second < 70; second++)); do tasks+=("say=$second" sleep=1); done
  (sleep 2 && ip link set lo down) &
  run "${tasks[@]}"
  kill "$server" 2>/dev/null || true
  queued=$(account queued)
  if ((queued > 0 && queued < 15)) && grep -q 'Connection timed out' "$out.log"; then
    echo "ok - $text"
  else
    fails "$text"
  fi
fi
