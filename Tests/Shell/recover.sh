#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Lists and recovers with the tool what killed programs have left in a folder of recorders.
#
#   Tests/Shell/recover.sh
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
Tests/install-missing '/usr/bin/jq=jq' >&2

folder=$(mktemp -d /dev/shm/winnow-recover.XXXXXX)
trap 'rm -rf "$folder" "$work"' EXIT
readonly folder

# Runs the tool's command, which is to end with a status, and to say a text on stderr. Its output is in $work/out.
ends() {
  local wanted=$1 text=$2 status=0
  shift 2
  timeout 60 "$winnow" recover "$@" >"$work/out" 2>"$work/said" || status=$?
  ((status == wanted)) && [[ $(<"$work/said") == *"$text"* ]] && return
  echo "status $status, and said:" >&2
  cat "$work/said" >&2
  return 1
}
says_once() { (($(grep -cF -- "$1" "$work/said") == 1)); }
says_nothing() { [[ ! -s $work/said ]]; }
shows() { grep -qE -- "$1" "$work/out"; }
prints_nothing() { [[ ! -s $work/out ]]; }
left() { find "$folder" -name "$1.*" | wc -l; }
leaves() { (($(left "$1") == $2)); }

# Runs the program with an identifier, and sinks on a pipe that nobody reads, until it kills itself. What is in the pipe
# by then is in $work/piped.
kill_program() {
  local identifier=$1 sinks=$2
  shift 2
  mkfifo "$work/pipe"
  # The descriptors keep the pipe open for the program, and for the reader after it.
  { env WINNOW_RECORDER="$folder" WINNOW_IDENTIFIER="$identifier" WINNOW_DELIVERY=deferred \
      WINNOW_SINKS="$sinks" "$program" "$@" die=9 8<&- >"$work/pipe" 2>"$work/pipe" || true
    dd bs=1M count=1 iflag=nonblock status=none <&8 >"$work/piped" || true
  } 8<>"$work/pipe" 2>/dev/null
  rm "$work/pipe"
}

# Prints the numbers of the records among lines of JSON, of which one may be cut.
numbers() { jq -R 'fromjson? | .sequence' "$@"; }
has_all() { cmp <(seq "$1") <(numbers "${@:2}" | sort -un) >&2; }
has_none_twice() { [[ -s $1 && -z $(numbers "$@" | sort | uniq -d) ]]; }
is_json() { jq -e "$@" "$work/out" >"$work/json"; }

kill_program first 'stdout?format=json' say=hello burst=5000
check 'a killed program leaves a file' leaves first 1
file=$(cd "$folder" && echo first.*)
before=$(sha256sum "$folder/$file")
check 'the list says that it is dead, and what is left' ends 0 '' "$folder" --list
check 'by its number, its name and its sinks' \
  shows '^[0-9]+ +first +20[^ ]+Z +dead +[0-9]+ +0 +[0-9]+ for stdout, [0-9]+ in'
check 'and on stderr it says nothing' says_nothing
check 'the list changes nothing' [ "$(sha256sum "$folder/$file")" = "$before" ]
check 'the list is there as JSON' ends 0 '' "$folder" --list --format json
# shellcheck disable=SC2016 # the variable is jq's
check 'with the same' is_json --arg file "$file" '.[0].file == $file and .[0].state == "dead"
  and .[0].identifier == "first" and .[0].sinks[0].name == "stdout" and .[0].sinks[0].records > 0'

process=$(jq '.[0].pid' "$work/out")
now=$(date -u +%FT%T.%NZ)
check 'a file in a folder that is not there is no sink' \
  ends 2 'file:/nowhere/at/all.log: cannot be opened' "$folder" --to file:/nowhere/at/all.log
check 'and the file stays' leaves first 1
WINNOW_SINKS="file:$work/wrong" WINNOW_LOG=off WINNOW_IDENTIFIER=wrong \
  check 'the tool recovers what is left, and says so' \
  ends 0 "records of process $process (first)" "$folder" --to 'stdout?format=json'
check 'whatever the environment says' [ ! -e "$work/wrong" ]
cp "$work/out" "$work/recovered"
check 'no record comes twice' has_none_twice "$work/recovered"
check 'none is missing' has_all 5001 "$work/piped" "$work/recovered"
check 'they have the process and the time of the dead one' \
  is_json -s "all(.process == $process and .fields.recovered and .time < \"$now\")"
check 'as many as it says' grep -qxF \
  "recovered $(wc -l <"$work/recovered") records of process $process (first)" "$work/said"
check 'the file is gone' leaves first 0
check 'a second call finds nothing' ends 0 "nothing to recover in $folder" "$folder"
check 'and prints nothing' prints_nothing

kill_program both 'stdout?format=json,stderr?format=json' burst=5000
check 'what waited for two sinks that are not there comes' \
  ends 0 'recovered' "$folder" --to "file:$work/both?format=json"
check 'once' has_none_twice "$work/both"

kill_program mine stdout burst=3000
kill_program other stdout burst=3000
check 'of two identifiers one is chosen' ends 0 '(mine)' "$folder" --identifier mine
check 'and its file goes' leaves mine 0
check 'the other one stays' leaves other 1
check 'and is all that is listed' ends 0 '' "$folder" --list
check 'by its name' shows ' other '
check 'a word that is no identifier of any chooses none' ends 0 'nothing to recover' "$folder" --identifier oth

# A reader that reads nothing, and then goes on.
stalls() {
  local status=0
  { timeout 60 "$winnow" recover "$folder" --to 'stdout?format=json' 2>"$work/said" 8<&- >"$work/pipe" || status=$?
    dd bs=1M count=1 iflag=nonblock status=none <&8 >"$work/begun" || true
  } 8<>"$work/pipe"
  ((status == 2))
}
kill_program slow 'stdout?format=json' burst=5000
rm "$folder"/other.*
mkfifo "$work/pipe"
check 'a sink that takes nothing ends the recovery' stalls
rm "$work/pipe"
check 'which says so once' says_once 'stdout took nothing for 10 s: the file stays'
check 'and keeps the file' leaves slow 1
check 'whose list says that it was begun' ends 0 '' "$folder" --list
check 'in words' shows 'some of it recovered'
check 'the next call goes on' ends 0 '(slow)' "$folder" --to 'stdout?format=json'
check 'behind what the sink has' has_none_twice "$work/begun" "$work/out"
check 'so that none is missing' has_all 5000 "$work/piped" "$work/begun" "$work/out"
check 'and the file is gone then' leaves slow 0

mkfifo "$work/in"
WINNOW_RECORDER=$folder WINNOW_IDENTIFIER=living WINNOW_SINKS="file:$work/living" \
  "$program" say=hello step=logged <"$work/in" >"$work/living.out" 2>&1 &
living=$!
exec 7>"$work/in"
until grep -q logged "$work/living.out"; do sleep 0.05; done
check 'a living process is listed' ends 0 '' "$folder" --list
check 'as in use' shows "^$living +living +20[^ ]+Z +in use +[0-9]+ +unknown +unknown"
check 'it is not recovered' ends 0 'nothing to recover' "$folder"
check 'which is said with the reason' says_once ': 1 file is in use'
check 'and keeps its file' leaves living 1
exec 7>&-
wait "$living"
check 'which goes with it' leaves living 0

kill_program cut stdout burst=3000
cut=$(echo "$folder"/cut.*)
head -c 1048576 /dev/zero >"$folder/zeros.1.1.winnow"
touch -d "1 minute ago" "$folder/zeros.1.1.winnow"
head -c 4096 "$cut" >"$folder/short.1.1.winnow"
head -c 4096 /dev/urandom >"$folder/garbage.1.1.winnow"
cp "$cut" "$folder/version.1.1.winnow"
printf '\377' | dd of="$folder/version.1.1.winnow" bs=1 seek=8 conv=notrunc status=none
ln -s "$cut" "$folder/link.1.1.winnow"
truncate -s 100000 "$cut"
looks() {
  says_once 'short.1.1.winnow: is truncated: it ends in front of the first record' \
    && says_once 'garbage.1.1.winnow: is no file of a recorder, or its beginning is damaged' \
    && says_once 'version.1.1.winnow: has the layout 255, which this version of winnow does not know' \
    && says_once 'link.1.1.winnow: is no regular file'
}
check 'what cannot be read fails the list' ends 2 'zeros.1.1.winnow: is half-made' "$folder" --list
check 'with a sentence for each' looks
check 'six files are in it as JSON' ends 2 '' "$folder" --list --format json
check 'each with its state' is_json 'length == 6 and ([.[] | select(.state == "unreadable" and .problem)] | length) == 4
  and ([.[] | select(.state == "half-made")] | length) == 1'
check 'and fails the recovery' ends 2 'zeros.1.1.winnow: was half-made' "$folder"
check 'with the same sentences' looks
check 'and one for the file that ends early' says_once '(cut); its file is truncated: '
check 'what is done with is gone' [ "$(left zeros)$(left cut)" = 00 ]
check 'what cannot be read stays' \
  [ "$(left short)$(left garbage)$(left version)$(left link)" = 1111 ]
check 'those of another identifier are left out' \
  ends 0 'nothing to recover' "$folder" --identifier none-of-them
rm "$folder"/*

kill_program foreign stdout burst=3000
if chown 12345 "$folder"/foreign.* 2>/dev/null; then
  check 'the file of another user is named' ends 2 'belongs to user 12345: only that user' "$folder" --list
  check 'and not recovered' ends 2 'belongs to user 12345: only that user' "$folder"
  check 'and stays' leaves foreign 1
else
  echo 'skip - the file of another user is named (only root gives files away)'
fi

check 'a folder that is not there is an error' ends 2 '/nowhere: cannot be opened: ' /nowhere
check 'so is a file' ends 2 'cannot be opened: ' Package.swift --list
check 'no folder is a wrong call' ends 64 'folder' --list
check 'so is a sink that nobody knows' ends 64 "unknown sink 'consol'" "$folder" --to consol
check 'so are sinks for a list' ends 64 '--list delivers nothing' "$folder" --list --to stderr
