#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with a package of its own that a program and a dynamic library, which are both linked with
# Winnow, have a log each: that each gets its records, and delivers them at a signal that ends the
# process. The linker would otherwise join the two in part. And that such a library can be closed with
# dlclose(3), which leaves it in memory.
#
#   Tests/Shell/dynamic-library.sh
#
# Prints `ok - TEXT` or `not ok - TEXT` for each test; what a failed build said goes to stderr.
#
# Environment: WINNOW_TEST_CLIENTS  the scratch paths of clients: see Tests/run

set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly app=$work/app library=$work/chatty checkout=$PWD log=$work/log
readonly clients=${WINNOW_TEST_CLIENTS:-$work/clients}

# Writes, to the folder, how to start with deferred delivery to a file and a sink that sleeps.
write_sleeping_sink() {
  cat >"$1/SleepingSink.swift" <<'SWIFT'
import Glibc
import Winnow

private final class SleepingSink: Sink {
    private let seconds: UInt32

    init(_ seconds: UInt32) { self.seconds = seconds }

    func write(_ record: borrowing Record) throws(SinkError) {
        if record.sequence == 1 { sleep(seconds) }
    }
}

func startWithSink(sleeping seconds: UInt32, file: String) throws {
    let routes: [Winnow.Route] = [.sink(SleepingSink(seconds)), .file(file)]
    try Winnow.start(.init(routes: routes, delivery: .deferred()))
}
SWIFT
}

write_library() {
  mkdir -p "$library/Sources/Chatty"
  cat >"$library/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "chatty",
    products: [.library(name: "Chatty", type: .dynamic, targets: ["Chatty"])],
    dependencies: [.package(name: "Winnow", path: "$checkout")],
    targets: [
        .target(name: "Chatty", dependencies: [.product(name: "Winnow", package: "Winnow")])
    ]
)
MANIFEST
  cat >"$library/Sources/Chatty/Chatty.swift" <<'SWIFT'
import Winnow

@_cdecl("chat") public func chat(_ number: Int) { Log("chatty").error("line \(number)") }
public func say(_ text: String) { print(text) }
public func startChatty(sleeping seconds: UInt32, file: String) throws {
    try startWithSink(sleeping: seconds, file: file)
}
SWIFT
  write_sleeping_sink "$library/Sources/Chatty"
}

write_program() {
  mkdir -p "$app/Sources/App"
  cat >"$app/Package.swift" <<MANIFEST
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "App",
    dependencies: [
        .package(path: "$library"), .package(name: "Winnow", path: "$checkout"),
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "Chatty", package: "chatty"),
                .product(name: "Winnow", package: "Winnow"),
            ]
        )
    ]
)
MANIFEST
  cat >"$app/Sources/App/main.swift" <<'SWIFT'
import Chatty
import Glibc
import Winnow

let arguments = CommandLine.arguments
if arguments.contains("terminate") {
    // The program is done while the library's sink sleeps on.
    try startWithSink(sleeping: 0, file: arguments[1])
    try startChatty(sleeping: 1, file: arguments[1])
}
if arguments.contains("library-first") { chat(0) }
Log("app").notice("line 0")
for number in 1...3 {
    chat(number)
    Log("app").notice("line \(number)")
}
print("from the program")
say("from the library")
if arguments.contains("terminate") { kill(getpid(), SIGTERM); sleep(10) }
SWIFT
  write_sleeping_sink "$app/Sources/App"
}

# A program of C's that has a thread log by the library, and closes it; it ends by a signal where one is
# given.
write_host() {
  cat >"$work/host.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void (*chat)(long);

static void *log_lines(void *unused) {
    for (long number = 1; number <= 3; number++) {
        chat(number);
    }
    usleep(200000);
    return unused;
}

int main(int count, char **arguments) {
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    *(void **)&chat = library == NULL ? NULL : dlsym(library, "chat");
    if (chat == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    chat(0);
    pthread_t thread;
    pthread_create(&thread, NULL, log_lines, NULL);
    usleep(100000);
    dlclose(library);
    pthread_join(thread, NULL);
    if (count > 2) {
        raise(atoi(arguments[2]));
        sleep(60); // Another thread ends the process by the signal.
    }
}
C
  local resources clang
  resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  clang=${resources%/lib/swift}/bin/clang
  [[ -x $clang ]] || clang=$(command -v clang)
  "$clang" "$work/host.c" -o "$work/host" -ldl -lpthread
}

# Runs the program with the settings of Winnow's that are given before `--`.
run() {
  local settings=()
  while [[ $1 != -- ]]; do
    settings+=("$1")
    shift
  done
  shift
  rm -f "$log"
  status=0
  { WINNOW_SINKS=file:$log env "${settings[@]}" "$binary" "$@" >"$work/out" 2>"$work/err" || status=$?; } \
    2>/dev/null
}

# Whether the log has the lines of the program and of the library, in their order.
is_whole() {
  local numbers=$1
  [[ $(sed -n 's/.*\[app\] line //p' "$log" | xargs) == '0 1 2 3' ]] \
    && [[ $(sed -n 's/.*\[chatty\] line //p' "$log" | xargs) == "$numbers" ]] \
    && [[ ! -s $work/err ]]
}

# Says whether the command succeeded, and what the program has left if not.
tell() {
  local text=$1
  shift
  if "$@"; then
    echo "ok - $text"
  else
    echo "not ok - $text (status $status)"
    cat "$work/out" "$work/err" "$log" >&2 2>/dev/null || true
  fi
}

write_library
write_program
build=(swift build --package-path "$app" --scratch-path "$clients/dynamic-library")
"${build[@]}" >"$work/build" 2>&1 || {
  echo 'not ok - a program and a dynamic library, both with Winnow, are built'
  cat "$work/build" >&2
  exit
}
binary=$("${build[@]}" --show-bin-path)/App

read -ra flags <<<"--traits default,SwiftLog ${WINNOW_TEST_SWIFT_FLAGS-}"
swift build "${flags[@]}" --product winnow >&2
tool=$(swift build "${flags[@]}" --show-bin-path)/winnow
lists_both() {
  "$tool" stripped "$binary" >"$work/out" 2>"$work/err" || status=$?
  ((status == 0)) && grep -q 'Chatty' "$work/out" && grep -q 'in App' "$work/out" \
    && grep -q '^with the library .*/libChatty\.so$' "$work/out"
}
status=0
tell 'what the library logs is listed with the program' lists_both

for delivery in immediate deferred; do
  run "WINNOW_DELIVERY=$delivery" --
  tell "a dynamic library and its program have all their records, $delivery" is_whole '1 2 3'
  run "WINNOW_DELIVERY=$delivery" -- library-first
  tell "the same where the library logs first, $delivery" is_whole '0 1 2 3'
done

is_delivered_late() { ((status == 143)) && is_whole '1 2 3'; }
run -u WINNOW_SINKS -- "$log" terminate
tell 'a signal that ends the process waits for the sinks of both' is_delivered_late

write_host
has_all_of_library() {
  ((status == $1)) && [[ $(sed -n 's/.*\[chatty\] line //p' "$log" | xargs) == '0 1 2 3' ]]
}
program=$binary
binary=$work/host
for delivery in immediate deferred; do
  run "WINNOW_DELIVERY=$delivery" -- "${program%/*}/libChatty.so"
  tell "a library that is closed has all its records, $delivery" has_all_of_library 0
  run "WINNOW_DELIVERY=$delivery" -- "${program%/*}/libChatty.so" 15
  tell "a signal ends the process of a library that is closed, $delivery" has_all_of_library 143
done
binary=$program

is_captured() {
  is_whole '1 2 3' && grep -q '\[App\] from the program' "$log" \
    && grep -q '\[Chatty\] from the library' "$log" && [[ ! -s $work/out ]]
}
run 'WINNOW_REDIRECT=*=notice' --
tell 'what both print is captured once, and has its origin' is_captured
