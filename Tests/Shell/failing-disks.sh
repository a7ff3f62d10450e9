#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Breaks the disk under a file of records in every way that a machine can show, mends it, and adds up:
# the account of the program, the numbers in the file, and the losses that the log itself reports.
#
#   Tests/Shell/failing-disks.sh
#
# Needs root and mount namespaces; EIO, EDQUOT, short and slow writes come from a disk by FUSE, see
# Tests/Disk/faulty.py. Prints `ok - TEXT`, `not ok - TEXT` or `skip - TEXT` for each test.

set -euo pipefail

if [[ ${1-} != --within ]]; then
  cd "$(dirname "$0")/../.."
  unshare -m true 2>/dev/null \
    || { echo 'skip - failing disks: mount namespaces need root'; exit 0; }
  exec unshare -m "$PWD/Tests/Shell/failing-disks.sh" --within
fi
mount --make-rprivate /

Tests/install-missing '/usr/bin/jq=jq' '/sbin/mkfs.ext4=e2fsprogs' \
  '/usr/lib/python3/dist-packages/fusepy.py=python3-fusepy' '/usr/bin/fusermount*=fuse3' >&2
read -ra more <<<"${WINNOW_TEST_SWIFT_FLAGS-}"
readonly flags=(--traits 'default,SwiftLog' "${more[@]}")
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product LogProgram "${flags[@]}" >&2
[[ -n ${WINNOW_TEST_BUILT-} ]] || swift build --product winnow "${flags[@]}" >&2
products=$(swift build "${flags[@]}" --show-bin-path)
work=$(mktemp -d)
readonly products work disk=$work/disk log=$work/disk/app.log
mkdir "$disk"
trap 'umount -l "$disk" 2>/dev/null || true; rm -rf "$work"' EXIT

fails() {
  echo "not ok - $1"
  shift
  printf '%s\n' "$@" >&2
}

# The word behind another one in the account of the file.
account() {
  sed -nE "s|^status sink file:\S+ .*\b$1 ([0-9]+).*|\1|p" "$work/out"
}

# Whether the account, the file and its reports agree.
check() {
  local text=$1 status=$2 verdict lost
  if ((status != 0)); then
    fails "$text" "the program ended with status $status" "$(tail -n 5 "$work/err")"
    return
  fi
  lost=$(account lost)
  # What was queued when the program counted was delivered before its end, or the log says that it is lost.
  if (($(account accepted) != $(account delivered) + lost + $(account queued))); then
    fails "$text" "the account does not add up: $(grep '^status sink' "$work/out")"
  elif [[ -z ${is_slow-} ]] && (($(account waited) == 0)); then
    fails "$text" 'the disk has never failed'
  elif [[ -n ${pause-} ]] && ! grep -q 'takes records again; for [1-9]' "$log"; then
    fails "$text" 'the log does not say how long the disk failed'
  elif [[ -n ${is_late-} ]] && ! grep -q 'the program ended; numbers' "$log"; then
    fails "$text" 'the log does not say what the end of the program has lost' "$(tail -n 5 "$work/err")"
  elif ! jq -e . "$log" >/dev/null 2>"$work/jq"; then
    fails "$text" "a line is torn: $(head -n 2 "$work/jq")"
  elif ! verdict=$("$products/winnow" verify "$log" 2>&1); then
    fails "$text" "$verdict" "$(tail -n 5 "$work/err")"
  elif ((lost > 0)) && ! jq -se 'any(.[]; .message | startswith("lost "))' "$log" >/dev/null; then
    fails "$text" "$lost records are lost, and no record says so"
  else
    echo "ok - $text ($lost of $(account accepted) lost, and reported)"
  fi
}

# Logs to a sound disk, to one that is broken and to one that is mended.
#
#   run TEXT RECORDS BREAK MEND      two functions, and the records that are logged between them
run() {
  local text=$1 count=$2 break=$3 mend=$4 mode status
  for mode in immediate deferred; do
    prepare
    : >"$work/out"
    mkfifo "$work/steps"
    WINNOW_SINKS=file:$log WINNOW_FORMAT=json WINNOW_DELIVERY=$mode WINNOW_OVERFLOW=block=2s \
      "$products/LogProgram" burst=200 flush step=sound "threads=2,$((count / 2))" levels \
      step=broken burst=200 flush step=mended <"$work/steps" >"$work/out" 2>"$work/err" &
    local program=$!
    exec 9>"$work/steps"
    await sound && { $break && echo >&9; }
    # In deferred delivery the worker meets the fault behind the step.
    await broken && { await_fault && sleep "${pause:-0.5}" && $mend && echo >&9; }
    await mended && echo >&9
    exec 9>&-
    rm "$work/steps"
    status=0
    wait "$program" || status=$?
    check "$text, $mode" "$status"
    unprepare
  done
}

# Waits for a word of the program's.
await() {
  local rounds
  for ((rounds = 0; rounds < 1200; rounds++)); do
    ! grep -q "^$1\$" "$work/out" || return 0
    kill -0 "$program" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}

# Waits until the program has met the fault, a minute at most.
await_fault() {
  local rounds
  for ((rounds = 0; rounds < 1200; rounds++)); do
    ! has_met_fault || return 0
    kill -0 "$program" 2>/dev/null || return 1
    sleep 0.05
  done
  echo 'the program has not met the fault for a minute' >&2
}

# The first record that is not taken starts the thread that tries it again.
has_met_fault() {
  grep -qx winnow-retry "/proc/$program/task/"*/comm 2>/dev/null
}

# Compresses old files on a disk that does not say when they are on it, and then does.
compress_without_sync() {
  local text='old files stay until the disk has the compressed ones' program before after verdict
  prepare
  echo sync=EIO >"$work/fault"
  : >"$work/out"
  mkfifo "$work/steps"
  WINNOW_SINKS="file:$log?rotate=16K&compress=gzip" WINNOW_FORMAT=json "$products/LogProgram" \
    burst=400 flush step=broken burst=200 flush step=mended <"$work/steps" >"$work/out" 2>"$work/err" &
  program=$!
  exec 9>"$work/steps"
  await broken && await_fault
  before=$(compgen -G "$log.*.gz" || true)
  mend_it
  echo >&9
  await mended && await_compressed
  after=$(compgen -G "$log.*" | grep -v '\.gz$' || true)
  echo >&9
  exec 9>&-
  rm "$work/steps"
  wait "$program" || true
  if [[ -n $before || -n $after ]]; then
    fails "$text" "compressed before: $before" "and not behind: $after"
  elif ! verdict=$("$products/winnow" verify --complete "$log"* 2>&1); then
    fails "$text" "$verdict"
  else
    echo "ok - $text"
  fi
  unprepare
}

# Waits until each old file is compressed, a minute at most.
await_compressed() {
  local rounds
  for ((rounds = 0; rounds < 1200; rounds++)); do
    compgen -G "$log.*" | grep -cv '\.gz$' >/dev/null || return 0
    sleep 0.05
  done
}

fill() {
  dd if=/dev/zero of="$disk/filler" bs=4096 2>/dev/null || true
}

empty() {
  rm "$disk/filler"
}

grow() {
  mount -o remount,size=30m "$disk"
  empty
}

prepare() { mount -t tmpfs -o size=3m none "$disk"; }
unprepare() { umount -l "$disk"; }
run 'a tmpfs that is full for a while' 4000 fill empty
run 'a tmpfs that is full for long' 30000 fill grow

# Logs more than the disk holds to a file that rotates: its oldest files make way for the newest records.
give_up_old_files() {
  local mode text status count=12000 verdict
  for mode in immediate deferred; do
    text="a disk that its own log fills keeps the newest records, $mode"
    prepare
    status=0
    WINNOW_SINKS="file:$log?rotate=200K" WINNOW_FORMAT=json WINNOW_DELIVERY=$mode WINNOW_OVERFLOW=block=9s \
      "$products/LogProgram" "burst=$count" flush=60 say=last flush=60 >"$work/out" 2>"$work/err" || status=$?
    if ((status != 0 || $(account lost) != 0 || $(account delivered) != count + 1)); then
      fails "$text" "$(grep '^status sink' "$work/out")" "$(tail -n 5 "$work/err")"
    elif ! cat "$log"* | jq -se 'any(.[]; .message == "last") and any(.[]; .message
        | test("no space is left for new records: .* of .*/app.log w.* removed, with [0-9]+ bytes"))' >/dev/null; then
      fails "$text" "$(tail -n 3 "$log")"
    elif ! verdict=$("$products/winnow" verify "$log"* 2>&1); then
      fails "$text" "$verdict"
    elif (($(cat "$log"* | jq -s 'map(select(.sequence > 0)) | length') < 3000)); then
      fails "$text" "there is only $(ls -l "$disk")"
    else
      echo "ok - $text"
    fi
    unprepare
  done
}
give_up_old_files

# Keeps a part of the disk free, which the log would fill otherwise.
keep_free() {
  local text='a log leaves as much of the disk free as is wanted' status=0
  prepare
  WINNOW_SINKS="file:$log?rotate=50K&keep=free:2M" WINNOW_FORMAT=json WINNOW_DELIVERY=deferred \
    WINNOW_OVERFLOW=block=9s "$products/LogProgram" burst=8000 flush=60 step=logged < <(await_free) \
    >"$work/out" 2>"$work/err" || status=$?
  if ((status != 0 || $(account delivered) != 8000)) || grep -q 'no space is left' "$log"*; then
    fails "$text" "$(cat "$work/out")" "$(tail -n 5 "$work/err")"
  elif (($(free_bytes) < 1900000 || $(free_bytes) > 2400000)); then
    fails "$text" "$(free_bytes) bytes are free" "$(ls -l "$disk")"
  else
    echo "ok - $text"
  fi
  unprepare
}

free_bytes() { df --output=avail -B1 "$disk" | tail -n 1; }

# Writes a line once the log has rotated and a part of the disk is free, a minute at most.
await_free() {
  local rounds
  for ((rounds = 0; rounds < 1200; rounds++)); do
    [[ ! -s $work/out ]] || break
    sleep 0.05
  done
  for ((rounds = 0; rounds < 1200; rounds++)); do
    (($(free_bytes) < 1900000)) || [[ ! -e $log.9 ]] || break
    sleep 0.05
  done
  echo
}
keep_free

if [[ -e /dev/loop-control ]]; then
  prepare() {
    truncate -s 4M "$work/image"
    mkfs.ext4 -q -F "$work/image"
    mount -o loop "$work/image" "$disk"
  }
  unprepare() {
    umount -l "$disk"
    rm "$work/image"
  }
  run 'an ext4 on a loop device that is full' 4000 fill empty

  # An error makes the file system read-only for good, as a failing device does; a new disk that has the
  # old one's file is mounted in its place.
  prepare() {
    truncate -s 4M "$work/image"
    mkfs.ext4 -q -F "$work/image"
    mount -o loop,errors=remount-ro "$work/image" "$disk"
  }
  unprepare() {
    umount -l "$disk" "$disk" "$work/fresh"
    rm "$work/image" "$work/image.fresh"
  }
  fail_device() {
    local device
    device=$(basename "$(findmnt -no SOURCE "$disk")")
    cp "$log" "$work/held.log"
    echo winnow >"/sys/fs/ext4/$device/trigger_fs_error"
    findmnt -no OPTIONS "$disk" | grep -c '^ro\b\|emergency_ro' >/dev/null
  }
  replace_device() {
    truncate -s 4M "$work/image.fresh"
    mkfs.ext4 -q -F "$work/image.fresh"
    mkdir -p "$work/fresh"
    mount -o loop "$work/image.fresh" "$work/fresh"
    cp "$work/held.log" "$work/fresh/app.log"
    mount --bind "$work/fresh" "$disk"
  }
  if [[ -d /sys/fs/ext4 ]]; then
    run 'an ext4 on a loop device that becomes read-only' 1000 fail_device replace_device
  else
    echo 'skip - an ext4 that becomes read-only: there is no /sys/fs/ext4'
  fi
else
  echo 'skip - an ext4 on a loop device: there are no loop devices'
fi

# Ends a process while a disk answers no write any more; what is not on it is told on standard error.
end_without_answer() {
  local mode program status line
  for mode in immediate deferred; do
    prepare
    : >"$work/out"
    mkfifo "$work/steps"
    WINNOW_SINKS=file:$log WINNOW_DELIVERY=$mode "$products/LogProgram" \
      burst=10 flush step=sound endless=1 sleep=1 end=exit <"$work/steps" >"$work/out" 2>"$work/err" &
    program=$!
    exec 9>"$work/steps"
    # For longer than the end takes, and not for good, as the file system ends only then.
    await sound && echo slow=20000 >"$work/fault" && echo >&9
    exec 9>&-
    status=0
    wait "$program" || status=$?
    rm "$work/steps"
    line=$(grep -E "^winnow: file:$log: lost [0-9]+ records? .*the program ended" "$work/err" || true)
    if ((status == 0)) && [[ -n $line ]]; then
      echo "ok - an exit while a disk does not answer says what is missing, $mode"
    else
      fails "an exit while a disk does not answer says what is missing, $mode" \
        "the program ended with status $status" "$(tail -n 5 "$work/err")"
    fi
    unprepare
  done
}

# Rotates a file where the disk knows neither RENAME_NOREPLACE nor hard links.
#
#   rotate_without_links NAMES COMPRESSION
rotate_without_links() {
  local text="a disk without hard links has old files, names=$1&compress=$2" status=0 large names verdict
  prepare
  echo link=ENOSYS >"$work/fault"
  WINNOW_SINKS="file:$log?rotate=16K&names=$1&compress=$2" WINNOW_FORMAT=json "$products/LogProgram" \
    burst=400 flush wait < <(await_old_files "$2") >"$work/out" 2>"$work/err" || status=$?
  names=$(cd "$disk" && echo *)
  large=$(find "$disk" -size +16k -printf '%f ')
  if ((status != 0)) || [[ -n $large || ! -e $work/fault.failed ]] || grep -q 'cannot be' "$log"; then
    fails "$text" "status $status, too large: $large, all: $names" "$(tail -n 5 "$work/err")"
  elif (($(wc -w <<<"$names") < 5)); then
    fails "$text" "there is only $names"
  elif ! verdict=$("$products/winnow" verify --complete "$log"* 2>&1); then
    fails "$text" "$verdict"
  else
    echo "ok - $text"
  fi
  unprepare
}

# Writes a line once there are old files, compressed where that is wanted, a minute at most.
await_old_files() {
  local rounds
  for ((rounds = 0; rounds < 1200; rounds++)); do
    if [[ $1 == none ]]; then
      ! compgen -G "$log.*" >/dev/null || break
    else
      ! compgen -G "$log.*.gz" >/dev/null || compgen -G "$log.*[0-9]" >/dev/null || break
    fi
    sleep 0.05
  done
  echo
}

if [[ -e /dev/fuse ]]; then
  mkdir "$work/held"
  prepare() {
    echo none >"$work/fault"
    rm -f "$work/fault.failed"
    Tests/Disk/faulty.py "$work/held" "$disk" "$work/fault" 2>"$work/fuse" &
    until mountpoint -q "$disk"; do sleep 0.05; done
  }
  unprepare() { umount -l "$disk"; rm -f "$work/held/"*; }
  break_it() { echo "$fault" >"$work/fault"; }
  mend_it() { echo none >"$work/fault"; }
  has_met_fault() { [[ -n ${is_slow-} || -e $work/fault.failed ]]; }
  for fault in EIO EDQUOT EROFS short; do
    run "a disk with the fault $fault" 200 break_it mend_it
  done
  fault=slow=20
  is_slow=yes
  run 'a disk that takes 20 ms for each write' 100 break_it mend_it
  is_slow=''
  fault=EIO
  mend_slowly() { echo slow=0.2 >"$work/fault"; }
  is_late=yes
  run 'a disk that fails for long, and is then too slow to take all in time' 40000 break_it mend_slowly
  is_late=''
  pause=3
  run 'a disk that fails for more than a second' 1000 break_it mend_it
  end_without_answer
  compress_without_sync
  rotate_without_links sequence none
  rotate_without_links date gzip
else
  echo 'skip - disks by FUSE: there is no /dev/fuse'
fi
