// SPDX-License-Identifier: Apache-2.0

// Prints what its arguments say, one task an argument. What the program has to say itself goes to the
// file whose path is in ACCOUNT, where no redirect sees it.
//
//   start=WORDS       Redirect.start with the words of Starting.swift
//   stop              Redirect.stop; accounts for one that takes as long as it may
//   drain             Redirect.drain, a minute at most
//   clock             accounts for the time of the monotonic clock, in nanoseconds
//   account           waits for what was printed, then writes Redirect.status
//   told              the same as Redirect.status tells it
//   routes            prints "<NAME>" by all routes of the noisy modules but the last
//   route=NAME        prints so by one route
//   print=TEXT        prints a line; partial=TEXT one without its end
//   thread-partial=T  the same on a thread, which ends
//   raw=HEX           prints the bytes by fwrite(3)
//   long=N            prints a line of N bytes
//   flushed=TEXT      prints a line without its end, and flushes stdout
//   pause             waits for three tenths of a second
//   taken=N           waits until the redirect has taken so many lines, at most a minute
//   log=TEXT          a log statement
//   logged=TEXT       waits until the file of WINNOW_SINKS holds the text, at most a minute
//   lines=N           prints "line 0" … by print
//   scope=TEXT        prints the text by two routes within withCapturedOutput
//   scope-log=TEXT    a log statement within withCapturedOutput
//   threads=T,N       the same from T threads and three modules: see Load.swift
//   busy=T            T threads, 16 at most, that print "busy" until the process ends: see Load.swift
//   restarts=N        starts and stops while threads print
//   sink=HOW          Winnow.start with a sink beside the file of RECORDS: see Sinks.swift
//   release           lets go what stalls
//   fill=N            prints N lines of 4000 bytes
//   end=HOW           ends the process: see Endings.swift
//   in-handler=N      N signals whose handler writes a line, while the program prints
//   fork=TEXT         a child that prints the text, and what its parent is about to print
//   bare-fork=TEXT    the same child by _Fork(3), at the beginning of a line
//   fork-start=WORDS  a child that starts a redirect of its own, and prints
//   fork-handlers     handlers of a fork that print
//   grandchild=FILE   a child whose child prints once the file exists, after this process is gone
//   descriptor=HOW    does to stdout what applications do: see Descriptors.swift
//   load=FILE         loads a shared object and calls its `noise`: see Loading.swift
//   scope-load=FILE   the same within withCapturedOutput
//   loads=FILE        loads and unloads it again and again while lines are printed
//   race=FILE         the same with a function of each of its names, on threads, beside a start
//   touch=FILE        makes the file; await=FILE waits for one, at most a minute
//
// What was waited for in vain is accounted for.

@unsafe @preconcurrency import Glibc
import NoisyC
import NoisySwift
import Winnow

/// Says something to the tests.
func account(_ line: String) {
    Account.write(line)
}

enum Account {
    private static let descriptor = unsafe open(
        getenv("ACCOUNT").map { unsafe String(cString: $0) } ?? "/dev/null",
        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
        0o600
    )

    static func prepare() {
        _ = descriptor
    }

    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }

    static func told() {
        drain()
        write("\(Redirect.status)")
    }

    static func status() {
        drain()
        let status = Redirect.status
        write("running \(status.isRunning)")
        write("hooks \(status.hookCount)")
        write("unseen \(status.unseenFunctions.joined(separator: ","))")
        write("streams \(status.capturedStreams.map(\.rawValue).sorted())")
        write("taken \(status.taken)")
        write("logged \(status.logged)")
        write("collapsed \(status.collapsed)")
        write("blank \(status.blank)")
        write("passed \(status.passed)")
        write("dropped \(status.dropped)")
        write("lost \(status.lost)")
        write("symbols \(status.hasSymbols)")
        for origin in status.origins {
            write("calls of \(origin.origin.name): \(origin.passedCalls), \(origin.droppedCalls)")
        }
    }
}

/// The monotonic clock, in nanoseconds.
func monotonicTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Waits for what another thread or process does, a minute at most.
func wait(for what: String, until isDone: () -> Bool) {
    for _ in 0..<6_000 {
        if isDone() { return }
        usleep(10_000)
    }
    account("waited in vain for \(what)")
}

/// Waits for what was printed, a minute at most.
func drain() {
    if !Redirect.drain(deadline: .seconds(60)) { account("waited in vain for what was printed") }
}

/// Stops the redirect, and says so where that took so long that it may have given up: it waits for
/// what was printed for 400 ms.
func stop() {
    let begin = monotonicTime()
    Redirect.stop()
    if monotonicTime() - begin >= 350_000_000 { account("slow stop") }
}

func printBytes(_ hex: String) {
    let digits = Array(hex)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
    _ = unsafe fwrite(bytes, 1, bytes.count, stdout)
}

func printLines(_ count: Int) {
    for number in 0..<count { print("line \(number)") }
}

func printInScope(_ text: String) throws {
    try runInScope {
        noisyPrint(text)
        unsafe noisyc_complain(text)
        StartedThread { print("of a thread") }.join()
        print("unended", terminator: "")
    }
}

func runInScope(_ body: () -> Void) throws {
    let lines = try withCapturedOutput { body() }
    for line in lines { account("scope \(line.origin.name) \(line.stream) \(line.text)") }
}

func run(_ task: String, _ value: String) throws {
    switch task {
    case "start": start(value)
    case "stop": stop()
    case "drain": drain()
    case "clock": account("clock \(monotonicTime())")
    case "account": Account.status()
    case "told": Account.told()
    case "routes": Routes.all.dropLast().forEach { $0.run() }
    case "route": Routes.all.first { $0.name == value }?.run()
    case "print": print(value)
    case "partial": print(value, terminator: "")
    case "flushed":
        print(value, terminator: "")
        unsafe fflush(stdout)
    case "thread-partial": StartedThread { print(value, terminator: "") }.join()
    case "raw": printBytes(value)
    case "long": print(String(repeating: "x", count: Int(value) ?? 0))
    case "pause": usleep(300_000)
    case "rest": usleep(UInt32(value) ?? 0)
    case "taken":
        wait(for: "\(value) lines to be taken") { Redirect.status.taken >= UInt64(value) ?? 0 }
    case "log": Log("program").notice(LogMessage(verbatim: value))
    case "logged": wait(for: "the record '\(value)'") { Load.logContains(value) }
    case "lines": printLines(Int(value) ?? 0)
    case "scope": try printInScope(value)
    case "scope-log": try runInScope { Log("program").notice(LogMessage(verbatim: value)) }
    case "threads": Load.run(value.split(separator: ",").compactMap { Int($0) })
    case "busy": Load.keepBusy(Int(value) ?? 0)
    case "restarts": Load.restart(Int(value) ?? 0)
    case "sink": try startWithSink(value)
    case "release": Stall.release()
    case "fill": Stall.fill(Int(value) ?? 0)
    case "end": end(value)
    case "in-handler": Handler.run(Int(value) ?? 0)
    case "fork": Children.fork(value)
    case "bare-fork": Children.forkBarely(value)
    case "fork-handlers": Children.printInHandlers()
    case "fork-start": Children.start(value)
    case "grandchild": Children.leave(value)
    case "descriptor": Descriptors.change(value)
    case "load": Loading.run(value)
    case "scope-load": try runInScope { Loading.run(value) }
    case "loads": Loading.repeatedly(value)
    case "race": Loading.race(value)
    case "touch": close(unsafe open(value, O_WRONLY | O_CREAT, 0o600))
    case "await": wait(for: "the file \(value)") { unsafe access(value, F_OK) == 0 }
    default: account("no task '\(task)'")
    }
}

Account.prepare()
Signals.unblock()
for argument in CommandLine.arguments.dropFirst() {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    try run(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
}
