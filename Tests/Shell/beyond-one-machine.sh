#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs two of the roads in Sources/Winnow/Winnow.docc/BeyondOneMachine.md, with the configurations that
# stand there: only names, ports and paths are others.
#
#   Tests/with-journal Tests/Shell/beyond-one-machine.sh
#
# Prints `ok - TEXT`, `not ok - TEXT` or `skip - TEXT` for each test.

set -euo pipefail
cd "$(dirname "$0")/../.."

readonly article=Sources/Winnow/Winnow.docc/BeyondOneMachine.md
read -ra flags <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
program=$(swift build --traits default,SwiftLog "${flags[@]}" --show-bin-path)/LogProgram
work=$(mktemp -d)
started=()
export WINNOW_OVERFLOW=block=10s # nothing is lost where a daemon is slow
readonly article program work

cleanup() {
  ((${#started[@]} == 0)) || kill -KILL "${started[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

# shellcheck source=check.sh
source Tests/Shell/check.sh

# Prints the block of the article, or of the file given, that stands behind `<!-- file: $1 -->`.
block() {
  awk -v mark="<!-- file: $1 -->" '
    $0 == mark {found = 1; next}
    found && /^```/ {if (inside) exit; inside = 1; next}
    inside {print}' "${2-$article}"
}

# Whether the README shows of each road what the article shows, or a part of it.
is_in_readme() {
  local name shown
  for name in relp-client.conf journal-upload.conf otel-collector.yaml; do
    shown=$(block "$name" README.md)
    [[ -n $shown && $(block "$name") == *"$shown"* ]] || return 1
  done
}

# Prints so many free ports, below those that the kernel gives to who asks for any: until they are listened
# at, nobody else comes by one of them.
free_ports() {
  python3 - "$1" <<'END'
import random
import socket
import sys

with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
    first = int(file.read().split()[0])
ports = range(10000, first if first > 11000 else 65536)
held = []
for port in random.sample(ports, 1000):
    held.append(socket.socket())
    try:
        held[-1].bind(("", port))
    except OSError:
        held.pop()
    if len(held) == int(sys.argv[1]):
        break
print(*(each.getsockname()[1] for each in held))
END
}

# Waits, five minutes at most, until the command succeeds: rsyslogd tries RELP again after half a minute.
await() {
  local tries=3000
  while ((tries-- > 0)); do
    ! "$@" || return 0
    sleep 0.1
  done
  return 1
}

listen() {
  local port
  for port; do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 1; done
}

start_rsyslog() {
  local name=$1
  mkdir -p "$work/$name"
  {
    echo "global(workDirectory=\"$work/$name\")"
    cat "$work/$name.conf"
  } >"$work/$name/rsyslog.conf"
  rsyslogd -n -f "$work/$name/rsyslog.conf" -i "$work/$name/pid" >"$work/$name/output" 2>&1 &
  last=$!
  started+=("$last")
}

has_lines() {
  [[ -e $1 ]] && (($(grep -oE 'thread [0-9]+ number [0-9]+' "$1" | sort -u | wc -l) >= $2))
}

test_relp() {
  local input relp server
  read -r input relp < <(free_ports 2)
  block relp-client.conf | sed "s/\"601\"/\"$input\"/; s/\"logs\"/\"127.0.0.1\"/; s/\"2514\"/\"$relp\"/" \
    >"$work/client.conf"
  block relp-server.conf | sed "s/\"2514\"/\"$relp\"/; s,/var/log/remote.log,$work/remote.log," \
    >"$work/server.conf"
  check 'the configurations for RELP stand in the article' \
    grep -q omrelp "$work/client.conf"
  start_rsyslog client
  start_rsyslog server
  server=$last
  check 'both rsyslogd listen' await listen "$input" "$relp"
  WINNOW_SINKS=syslog+tcp://127.0.0.1:$input "$program" threads=4,500 flush=60 >"$work/output" 2>&1
  check 'what is logged arrives at the other rsyslogd' await has_lines "$work/remote.log" 2000
  has_lines "$work/remote.log" 2000 || sed 's/^/said: /' "$work/output" "$work"/{client,server}/output >&2
  kill -KILL "$server"
  WINNOW_SINKS=syslog+tcp://127.0.0.1:$input "$program" threads=5,600 flush=60 >"$work/output" 2>&1
  start_rsyslog server
  check 'what was logged while it was away arrives once it is back' await has_lines "$work/remote.log" 3000
  check 'its structured data are still there' \
    grep -qE '\[meta sequenceId="[0-9]+"\].*\[fields@32473 number="599"\] thread 4 number 599' \
    "$work/remote.log"
}

uploaded() {
  journalctl -q -D "$work/remote" -o cat -t "$1" 2>/dev/null | grep -cx 'the last' >/dev/null
}

test_journal_upload() {
  local port command
  port=$(free_ports 1)
  block journal-upload.conf | sed "s,//logs:19532,//127.0.0.1:$port," >"$work/upload.conf"
  command=$(block journal-remote.conf | sed -nE 's/^ExecStart=(.+)/\1/p' \
    | sed "s/=-3 /=$port /; s,/var/log/journal/remote/,$work/remote/,")
  mkdir "$work/remote"
  # shellcheck disable=SC2086 # the command is split at its spaces, as systemd does
  $command >"$work/remote.output" 2>&1 &
  started+=("$!")
  check 'systemd-journal-remote listens' await listen "$port"
  journalctl -q -n 0 --show-cursor | sed -n 's/^-- cursor: //p' >"$work/cursor"
  # The file's path is fixed: a mount of its own hides the machine's.
  unshare -m sh -c "mount --bind '$work/upload.conf' /etc/systemd/journal-upload.conf \
    && exec /lib/systemd/systemd-journal-upload --save-state='$work/state' \
      --after-cursor='$(cat "$work/cursor")'" >"$work/upload.output" 2>&1 &
  started+=("$!")
  WINNOW_SINKS=journald WINNOW_IDENTIFIER=winnow-upload-$$ "$program" fields 'say=the last' flush=60 \
    >"$work/output" 2>&1
  check 'what is logged arrives in the other journal' await uploaded "winnow-upload-$$"
  check 'with its fields' eval \
    "journalctl -q -D '$work/remote' -t 'winnow-upload-$$' REQUEST_ID=r1 -o cat | grep -cx 'odd names' >/dev/null"
}

check 'the README shows the lines of the article' is_in_readme
if [[ -x /usr/sbin/rsyslogd ]] && compgen -G '/usr/lib/*/rsyslog/omrelp.so' >/dev/null; then
  test_relp
else
  echo 'skip - rsyslog with RELP: rsyslog or rsyslog-relp is not installed'
fi
if [[ ! -x /lib/systemd/systemd-journal-upload || ! -x /lib/systemd/systemd-journal-remote ]]; then
  echo 'skip - systemd-journal-upload: systemd-journal-remote is not installed'
elif ! unshare -m true 2>/dev/null; then
  echo 'skip - systemd-journal-upload: no mount namespace may be made here'
else
  test_journal_upload
fi
