#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with a release build of a package of its own that `winnow stripped` lists the log statements
# that are left in a program, and no others.
#
#   Tests/Shell/stripped.sh
#
# The package depends on this checkout as it is now. Prints `ok - TEXT` or `not ok - TEXT` for each
# test; what differs goes to stderr.
#
# Environment: WINNOW_TEST_CLIENTS    the scratch paths of clients: see Tests/run

set -euo pipefail
cd "$(dirname "$0")/../.."

Tests/install-missing /usr/bin/strip=binutils

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly probe=$work/probe clients=${WINNOW_TEST_CLIENTS:-$work/clients}

write_probe() {
  mkdir -p "$probe/Sources/Probe"
  cat >"$probe/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "Probe",
    dependencies: [.package(name: "winnow", path: "$PWD")],
    targets: [
        .executableTarget(name: "Probe", dependencies: [.product(name: "Winnow", package: "winnow")])
    ]
)
MANIFEST
  cat >"$probe/Sources/Probe/main.swift" <<'PROGRAM'
import Winnow

let log = Log("probe")
let count = CommandLine.arguments.count

@inline(never)
func note(_ text: StaticString, file: StaticString = #fileID, line: UInt32 = #line) {
    log.warning("noted \(count)", file: file, line: line)
}

@inline(never)
func describe<Value: CustomStringConvertible>(_ value: Value) {
    log.error("a value: \(value.description), described")
}

@inline(never)
func report(_ level: Level) {
    log.log(level, "at a level of run time")
}

@inline(never)
func nested() -> Int {
    log.alert("within a message")
    return count
}

let outside: LogMessage = "made outside"

log.emergency("the machine is on fire")
log.notice("listening on \(CommandLine.arguments[0]):\(count, as: "port")", ("quick", true))
log.info("stripped info \(count)")
log.debug("stripped debug")
log.log(.debug, "stripped, with a constant level")
note("x")
describe(1)
describe("text")
report(count > 1 ? .info : .notice)
log.notice(outside)
log.critical("\"quoted\", \u{1b}[1m, a tabulator\t and \(count) of \(nested())")
log.notice(LogMessage(verbatim: CommandLine.arguments[0]))
for index in 0..<count { log.error("first loop \(index) ends") }
for index in 0..<count { log.error("second loop \(index) ends") }
// Stays, if it is asked to, until whoever looks at it has done so.
if count > 1 { _ = readLine() }
PROGRAM
}

# What the tool says of the probe but for the verdict; the place of the wrapper is given.
expected() {
  cat <<REPORT
emergency     Probe/main.swift:29  "the machine is on fire"
alert         Probe/main.swift:23  "within a message"
critical      Probe/main.swift:39  "\\"quoted\\", \\u{1b}[1m, a tabulator\\t and \\(…) of "
error         Probe/main.swift:13  "a value: \\(…), described"  (2 copies)
error         Probe/main.swift:41  "first loop \\(…) ends"
error         Probe/main.swift:42  "second loop \\(…) ends"
warning       $1"noted "
notice        Probe/main.swift:30  "listening on \\(…):"
notice        Probe/main.swift:38  "\\(…)"
notice        Probe/main.swift:40  "\\(…)"
up to notice  Probe/main.swift:18  "at a level of run time"

literals of messages that are made outside of a statement:
  "made outside"

11 statements: 1 emergency, 1 alert, 1 critical, 3 error, 1 warning, 3 notice, 1 up to notice; \
the least severe is notice
REPORT
}

# Tests that what is on stdin is what the tool says of the arguments, and that it ends with $2.
says() {
  local text=$1 status=$2 actual=0
  shift 2
  cat >"$work/expected"
  "$tool" stripped "$@" >"$work/output" 2>&1 || actual=$?
  # An address differs from build to build.
  sed -i -E 's/at 0x[0-9a-f]+ +/at ADDRESS  /' "$work/output"
  if diff "$work/expected" "$work/output" >&2 && [[ $actual == "$status" ]]; then
    echo "ok - $text"
  else
    echo "not ok - $text"
    echo "status $actual, expected $status" >&2
  fi
}

# Builds the probe with the flags in the scratch path $1.
build() {
  swift build --package-path "$probe" --scratch-path "$clients/$1" -c release "${@:2}" \
    >"$work/output" 2>&1 && ! grep 'warning:' "$work/output" >&2 && return
  cat "$work/output" >&2
  return 1
}

read -ra flags <<<"--traits default,SwiftLog ${WINNOW_TEST_SWIFT_FLAGS-}"
swift build "${flags[@]}" --product winnow >&2
tool=$(swift build "${flags[@]}" --show-bin-path)/winnow

write_probe
build release || {
  echo 'not ok - the probe builds'
  exit 1
}
objects=$clients/release/release
cp "$objects/Probe" "$work/"
program=$work/Probe
readonly tool objects program
readonly named='in Probe.note        ' unnamed='at ADDRESS  '

says 'a release program is listed as it is' 0 "$program" < <(expected "$named")
says 'it holds to the floor of release builds' 0 "$program" --expect notice \
  < <(expected "$named" && echo 'expected nothing below notice: holds')
says 'below an expectation it fails' 1 "$program" --expect error \
  < <(expected "$named" && echo 'expected nothing below error: FAILS: 5 statements below error')
says 'with none expected it fails' 1 "$program" --expect none \
  < <(expected "$named" && echo 'expected no statement: FAILS: 11 statements')

strip -o "$work/stripped" "$program"
says 'a program without symbols is listed, but for the names of functions' 0 \
  "$work/stripped" --expect notice \
  < <(expected "$unnamed" && echo 'expected nothing below notice: holds')
strip --strip-debug -o "$work/no-debug" "$program"
says 'a program without debug information is listed' 0 "$work/no-debug" < <(expected "$named")

objcopy --only-keep-debug "$program" "$work/debug"
says 'separate debug information is refused' 2 "$work/debug" <<REPORT
winnow: $work/debug: holds debug information only: give the program that it was made from
REPORT
says 'an object file is refused' 2 "$objects/Probe.build/main.swift.o" <<REPORT
winnow: $objects/Probe.build/main.swift.o: is an object file that is not linked: \
link it first, and give the program
REPORT

# Who asks a release build for more than it has is told why nothing comes.
if WINNOW_LOG=debug WINNOW_SINKS=stderr "$clients/release/release/Probe" 2>&1 >/dev/null \
  | grep -c "WINNOW_LOG: 'debug': this build has no log statements below notice, except in targets" >/dev/null; then
  echo 'ok - a level of which a release build has no statements is told'
else
  echo 'not ok - a level of which a release build has no statements is told'
fi

# What of a program that runs would log now: by a rule for two lines, by one for a text, and by the category.
filter='error,@main.swift:29-30=notice,@*~*described=off,probe@main.swift:38=notice'
mkfifo "$work/in"
WINNOW_LOG=$filter WINNOW_SINKS=stderr "$program" wait <"$work/in" >/dev/null 2>"$work/err" &
exec 9>"$work/in"
until grep -q 'second loop 1 ends' "$work/err"; do sleep 0.05; done
"$tool" statements $! >"$work/output"
sed -i -E 's/ +/ /g; s/process [0-9]+/process PID/' "$work/output"
if diff - "$work/output" >&2 <<'LIST'; then
STATE LEVEL STATEMENT MESSAGE
on emergency Probe/main.swift:29 "the machine is on fire"
on alert Probe/main.swift:23 "within a message"
on critical Probe/main.swift:39 "\"quoted\", \u{1b}[1m, a tabulator\t and \(…) of "
on error Probe/main.swift:13 "a value: \(…), described"
on error Probe/main.swift:41 "first loop \(…) ends"
on error Probe/main.swift:42 "second loop \(…) ends"
unknown warning in Probe.note "noted "
on notice Probe/main.swift:30 "listening on \(…):"
on for probe notice Probe/main.swift:38 "\(…)"
off notice Probe/main.swift:40 "\(…)"
unknown up to notice Probe/main.swift:18 "at a level of run time"

process PID, Probe: 11 statements, 8 of them on; those below notice are gone: its build has left them out
LIST
  echo 'ok - the statements of a program that runs are listed with what is on'
else
  echo 'not ok - the statements of a program that runs are listed with what is on'
fi
"$tool" statements $! 'first loop' --format json >"$work/json"
if [[ $(jq -c '.[0] | [.identifier, .floor, (.statements | map([.line, .on]))]' "$work/json") \
  == '["Probe","notice",[[41,true]]]' ]]; then
  echo 'ok - as JSON as well, and as few as are asked for'
else
  echo 'not ok - as JSON as well, and as few as are asked for'
  cat "$work/json" >&2
fi
exec 9>&-
wait

# What a hostile program is called by forges no line, and commands no terminal.
hostile=$'libWinnow\e[2J\nwinnow: '
clang -shared -x c -o "$work/hostile.so" -Wl,-soname,"$hostile" /dev/null
echo 'int main(void) { return 0; }' \
  | clang -x c -o "$work/hostile" -Wl,--no-as-needed - -x none "$work/hostile.so"
says 'what a program calls its libraries is escaped' 2 "$work/hostile" <<REPORT
winnow: $work/hostile: has no table of log statements; Winnow is not in it but in \
libWinnow\\u{1b}[2J\\nwinnow: , which it needs: \
link Winnow statically, as SwiftPM does by default, or give what else it needs
REPORT

# The same program with nothing left.
build release-none -Xcc -DWINNOW_MAX_LEVEL=-1 || echo 'not ok - the probe builds with the floor at -1'
"$tool" stripped "$clients/release-none/release/Probe" --expect none --format json >"$work/json" 2>&1 || true
if [[ $(jq -c '[.statements, .count, .expected.holds]' "$work/json") == '[[],0,true]' ]]; then
  echo 'ok - with the floor at -1 no statement is left'
else
  echo 'not ok - with the floor at -1 no statement is left'
  cat "$work/json" >&2
fi
