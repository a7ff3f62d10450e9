# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A journald of a script's own, in a mount namespace of its own, with Tests/Journal/hold_sockets.py in the
# place of systemd. For scripts that have $work, a folder, and call `end_journald` before they end.

holder=''
: "${work:?a folder}"

# An empty world for it, with lines of journald.conf(5).
make_world() {
  mount --make-rprivate /
  mkdir -p /run/systemd/journal /run/systemd/journald.conf.d /run/log
  mount -t tmpfs -o mode=755 none /run/systemd/journal
  mount -t tmpfs -o mode=755 none /run/systemd/journald.conf.d
  mount -t tmpfs -o mode=755 none /run/log
  [[ ! -d /var/log/journal ]] || mount -t tmpfs -o mode=755 none /var/log/journal
  mkdir /run/log/journal
  printf '%s\n' '[Journal]' Storage=volatile Audit=no ReadKMsg=no ForwardToSyslog=no \
    ForwardToWall=no "$@" >/run/systemd/journald.conf.d/winnow.conf
}

begin_journald() {
  Tests/Journal/hold_sockets.py "$work/pid" "$@" >"$work/journald" 2>&1 &
  holder=$!
  local rounds
  for ((rounds = 0; rounds < 1200; rounds++)); do
    [[ ! -s $work/pid ]] || ! journalctl -q -n 1 "${@/#/--namespace=}" >/dev/null 2>&1 || return 0
    sleep 0.05
  done
  echo 'not ok - journald did not start'
  cat "$work/journald" >&2
  exit 1
}

end_journald() {
  [[ -z $holder ]] || { kill "$holder" && wait "$holder"; } 2>/dev/null || true
  holder=''
  rm -f "$work/pid"
}

# Waits until the journal has what its sockets held; a journald that is just restarted does not answer yet.
settle() {
  local deadline=$((SECONDS + 60))
  kill -CONT "$(<"$work/pid")" 2>/dev/null || true
  sleep 0.3
  until timeout 20 journalctl --sync 2>/dev/null; do
    if ((SECONDS > deadline)); then
      echo 'journald has not answered for 60 s' >&2
      return
    fi
    sleep 0.1
  done
}
