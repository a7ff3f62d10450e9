#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Links one release build of the program that prints in every way, with each linker and runtime, and
# looks what a redirect sees of it and whom it takes for the origin.
#
#   Tests/Shell/print-routes.sh
#
# Prints `ok - TEXT` or `not ok - TEXT` for each test.
#
# Environment: WINNOW_TEST_CLIENTS  the scratch paths of clients, with whose library it is: see Tests/run
#              WINNOW_TEST_FULL     not empty: the thread sanitizer as well, which takes a build of its own

set -euo pipefail
cd "$(dirname "$0")/../.."

Tests/install-missing /usr/bin/strip=binutils /usr/bin/jq=jq >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly work
flags=(-c release --scratch-path "${WINNOW_TEST_CLIENTS:-$work/clients}/release")
swift build --product PrintProgram "${flags[@]}" | tee "$work/build" >&2
! grep 'warning:' "$work/build" || { echo 'not ok - the build says no warning' && exit 1; }
products=$(swift build "${flags[@]}" --show-bin-path)
readonly products
ulimit -c 0
export WINNOW_SINKS=file:$work/log WINNOW_FORMAT=json ACCOUNT=$work/account SWIFT_BACKTRACE=enable=no

# What no hook sees: calls within libc, copies of a descriptor, children.
readonly unhooked='Process|putchar_unlocked inlined|puts by dlsym|syscall|dup|fdopen'\
'|/dev/stdout|system|popen|posix_spawn|fork|fork and exec'

# Links the objects of the build to $work/$1 with the other arguments, as SwiftPM does. A test of what
# was not linked fails.
link() {
  local name=$1
  shift
  swiftc -emit-executable -o "$work/$name" @"$products/PrintProgram.product/Objects.LinkFileList" \
    -lstdc++ -Xlinker --defsym -Xlinker main=PrintProgram_main "$@" >"$work/link" 2>&1 \
    || tail -n 5 "$work/link" >&2
}

# Runs a program with the tasks; what it prints, logs and says of itself is in files.
run() {
  rm -f "$work/log" "$work/account"
  touch "$work/log" "$work/account"
  status=0
  "$work/$1" "${@:2}" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

fail() {
  echo "not ok - $1: $2"
  { tail -n 5 "$work/account" && head -c 500 "$work/err"; } >&2
}

# Prints NAME, a tabulator and the origins of its records, for each route that ran as it should, and
# for what else was logged.
origins_of_routes() {
  sed -nE 's/^right \w+ (.*)$/\1/p' "$work/account" | sort >"$work/names"
  jq -r '[(.message | capture("<(?<name>[^>]+)>").name // .), .category] | @tsv' "$work/log" \
    | sort >"$work/origins"
  join -t $'\t' -a 1 -a 2 "$work/names" "$work/origins"
}

# What is to be expected of these; hooks know the modules, unless $1 is "unknown".
expected_routes() {
  sed -nE 's/^(right|wrong) (\w+) (.*)$/\3\t\2/p' "$work/account" | sort \
    | awk -F '\t' -v OFS='\t' -v unhooked="^($unhooked)\$" -v origins="$1" '
        $1 ~ unhooked { print $1; next }
        origins == "unknown" { print $1, "*"; next }
        { print $1, $2 }'
}

# Tests that hooks see what they should in the program $2, by origins that are exact or unknown.
check_hooks() {
  local text=$1 program=$2 origins=${3:-exact} hooks
  run "$program" start routes account
  hooks=$(sed -n 's/^hooks //p' "$work/account")
  origins_of_routes >"$work/actual"
  [[ $origins == exact ]] || sed -i -E 's/\t.*/\t*/' "$work/actual"
  expected_routes "$origins" >"$work/expected"
  if ((status != 0)); then
    fail "$text" "status $status"
  elif ((${hooks:-0} == 0)); then
    fail "$text" 'nothing is hooked'
  elif (($(wc -l <"$work/expected") < 50)); then
    fail "$text" "only $(wc -l <"$work/expected") routes"
  elif ! diff "$work/expected" "$work/actual" >&2; then
    fail "$text" 'other routes or origins'
  else
    echo "ok - $text ($hooks hooks)"
  fi
}

# Tests that with the descriptors the log has all but what children of fork(2) print.
check_descriptors() {
  local text=$1 program=$2 missing
  run "$program" start=stdout,stderr routes account
  missing=$(origins_of_routes | awk -F '\t' 'NF != 2' | paste -sd ,)
  if ((status != 0)); then
    fail "$text" "status $status"
  elif [[ $missing != 'fork,fork and exec' || -s $work/err ]]; then
    fail "$text" "not in the log: $missing"
  else
    echo "ok - $text"
  fi
}

# Prints how many of the lines were logged or printed once: an end that waits in vain for the one does the
# other.
count_lines() {
  jq -r .message "$work/log" | cat - "$work/out" | grep -xE 'line [0-9]+' | sort | uniq -u | wc -l
}

# Tests that why the process ends is on standard error, and its lines before are not lost.
check_fatal() {
  local text=$1 program=$2 start round
  for start in start start=stdout,stderr start=drop; do
    for round in 1 2 3; do
      { run "$program" "$start" lines=50 end=fatal; } 2>/dev/null
      if ((status != 132)) || (($(grep -c 'Fatal error: the end' "$work/err") != 1)) \
        || [[ $start != start=drop && $(count_lines) != 50 ]]; then
        fail "$text" "$start, round $round: status $status"
        return
      fi
    done
  done
  echo "ok - $text"
}

check_stress() {
  local wrong
  run plain "$1" threads=4,25000 account
  # C++ and Swift print a line break apart: one that comes 100 ms late is the end of an empty line.
  wrong=$(jq -r '[.category, .message, .fields.line_break // .line_break] | @tsv' "$work/log" \
    | awk -F '[\t ]' '
    $5 == "timeout" { late++ }
    $2 == "" && late > 0 { late--; next }
    { wrong += $1 != $2 || $4 != next_of[$3]++ }
    END { for (thread = 0; thread < 4; thread++) wrong += next_of[thread] != 25000; print wrong + 0 }')
  if ((status == 0)) && [[ $wrong == 0 ]] && grep -qx 'lost 0' "$work/account" && [[ ! -s $work/out ]]; then
    echo "ok - 100 000 lines of 4 threads, $1: none lost, torn, or of another module"
  else
    fail "100 000 lines of 4 threads, $1" "$wrong wrong, $(wc -l <"$work/log") logged, status $status"
  fi
}

ln -s "$products/PrintProgram" "$work/plain"
check_hooks 'a release build' plain
check_descriptors 'a release build with its descriptors' plain
check_fatal 'a release build says why it ends' plain
check_stress start
check_stress start=stdout,stderr

strip -o "$work/stripped" "$work/plain"
check_hooks 'a stripped build, whose origins are guesses' stripped unknown
strip --strip-debug -o "$work/no-debug" "$work/plain"
run no-debug start route=print account
if [[ $(jq -r .category "$work/log") == NoisySwift ]]; then
  echo 'ok - without debug information Swift modules are known'
else
  fail 'without debug information Swift modules are known' "$(jq -r .category "$work/log")"
fi

for linker in bfd gold lld; do
  link "$linker" -use-ld=$linker -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker lazy
  check_hooks "linked by $linker" "$linker"
  link "$linker-now" -use-ld=$linker -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
  check_hooks "linked by $linker, with its table read-only" "$linker-now"
done

# What the objects do not name, as they were compiled for shared libraries; lld needs no order.
readonly static_libraries=(-use-ld=lld -lFoundation -lFoundationInternationalization
  -lFoundationEssentials -l_FoundationCollections -l_FoundationICU -l_FoundationCShims -lCoreFoundation)
link static-runtime -static-stdlib "${static_libraries[@]}"
check_hooks 'with the Swift runtime in the program' static-runtime
check_fatal 'with the Swift runtime in the program it says why it ends' static-runtime

# Tests that the program $2, which defines puts(3) itself, says so, and that descriptors have what it
# prints.
check_unseen() {
  local text=$1 program=$2 names
  run "$program" start route=puts account
  names=$(sed -n 's/^unseen //p' "$work/account")
  if [[ ",$names," == *,puts,* && $(<"$work/out") == '<puts>' ]] \
    && (($(grep -c "does not see what the program's own code prints" "$work/log") == 1)); then
    run "$program" start=stdout,stderr route=puts account
  fi
  if (($(wc -l <"$work/log") == 1)) && grep -q '<puts>' "$work/log"; then
    echo "ok - $text"
  else
    fail "$text" "unseen: $names"
  fi
}

cat >"$work/puts.c" <<'END'
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int puts(const char *text) { return syscall(SYS_write, 1, text, strlen(text)) + syscall(SYS_write, 1, "\n", 1); }
END
clang -D_GNU_SOURCE -c -o "$work/puts.o" "$work/puts.c"
link own-puts "$work/puts.o" -Xlinker --export-dynamic-symbol=puts
check_unseen 'what a program defines itself is told of, and seen by the descriptors' own-puts

link static -static-executable "${static_libraries[@]}"
run static start route=puts account
if ((status == 0)) && grep -q '^error this program is linked statically' "$work/account" \
  && [[ $(<"$work/out") == '<puts>' && ! -s $work/log ]]; then
  echo 'ok - a static program cannot be hooked, and the start says so'
else
  fail 'a static program cannot be hooked, and the start says so' "status $status"
fi
run static start=stdout,stderr routes account
if [[ $(origins_of_routes | awk -F '\t' '$2 != "descriptor"' | paste -sd ,) == 'fork,fork and exec' ]]; then
  echo 'ok - a static program is redirected at its descriptors'
else
  fail 'a static program is redirected at its descriptors' "status $status"
fi

# Tests that the thread sanitizer has nothing to say of the tasks, whose output is not looked at.
check_races() {
  local text=$1 round
  shift
  for round in 1 2 3; do
    # Without names: to look them up takes a lock of the loader's, and a report within it would not end.
    TSAN_OPTIONS='symbolize=0 halt_on_error=0 exitcode=66' run sanitized "$@"
    if ((status != 0)) || grep -q 'WARNING: ThreadSanitizer' "$work/err"; then
      fail "$text" "status $status in round $round"
      return
    fi
  done
  echo "ok - no race: $text"
}

# Tests that 100 000 lines of the sanitized program are in the log, or with hooks alone, which do not
# see what the program's own code prints by functions of the sanitizer's, there or printed.
check_sum() {
  local text=$1 printed
  TSAN_OPTIONS='symbolize=0' run sanitized "$2" threads=4,25000 account
  printed=$(jq -r .message "$work/log" | cat - "$work/out" | grep -cxE 'Noisy[A-Za-z]+ [0-3] [0-9]+')
  if ((printed == 100000)) && [[ $2 == start || ! -s $work/out ]]; then
    echo "ok - $text"
  else
    fail "$text" "$(wc -l <"$work/log") logged, $(wc -l <"$work/out") printed"
  fi
}

if [[ -n ${WINNOW_TEST_FULL-} ]]; then
  flags=(--sanitize=thread --scratch-path "$work/races")
  swift build --product PrintProgram "${flags[@]}" >&2
  ln -s "$(swift build "${flags[@]}" --show-bin-path)/PrintProgram" "$work/sanitized"
  for mode in immediate deferred; do
    export WINNOW_DELIVERY=$mode WINNOW_OVERFLOW=block=10s
    check_races "100 000 lines of 4 threads, $mode" start threads=4,25000 account
    check_races "100 000 lines of 4 threads with the descriptors, $mode" \
      start=stdout,stderr threads=4,25000 account
    check_races "starts and stops beside two threads, $mode" restarts=100 account
    check_sum "with the sanitizer each of 100 000 lines is logged or printed, $mode" start
    check_sum "with the sanitizer and the descriptors all are logged, $mode" start=stdout,stderr
  done
fi
