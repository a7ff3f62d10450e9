// SPDX-License-Identifier: Apache-2.0

// Logs what its arguments say, one task an argument, then writes the account to standard output.
//
//   levels            one record of each level, "level emergency" …
//   say=TEXT          one notice with the text, as it is
//   fields            a record whose field names no sink takes as they are
//   many-fields=N     a record with N fields
//   big=N             a record of N bytes
//   private           a record with a private and a sensitive value
//   limited=N         N times a statement that logs once and one that logs every third time
//   threads=T,N       T threads with N records each: "thread T number N"
//   categories        a debug record each in net, net.http, network and db.pool
//   start=NAME        Winnow.start with the identifier and a filter of its own
//   start-bad         Winnow.start with a file that cannot be opened; writes what it throws
//   errno             the code of a failed call, as the first record may be the start's
//   delivery=MODE     Winnow.start with deferred or immediate delivery
//   fork=N            a child that logs "child 0" …, flushes and ends by exit(3), while the parent
//                     logs "parent 0" …; then waits for it
//   children=N        records of four threads while N children are spawned, and N forked and
//                     executed: see Children.swift
//   cancelled         records of a task before and after it is cancelled: "task 0" …
//   cancelled-thread  a record of a thread that is being cancelled: "cancelled"
//   in-call           a record that ends the process within its message, behind "before"
//   burst=N           N records, "0" …
//   die=HOW           ends the process by a signal: fatal, abort, fault, heap, stack, pipe, or the number
//                     of one that it sends itself
//   overflow=WHERE    a record, and more calls within each other than the stack has room for: on the main
//                     thread, or on a thread of its own
//   bad-sink=HOW      Winnow.start with deferred delivery to stderr and to a sink that dies so at the
//                     tenth record
//   mend              has faults be mended from now on: see Endings.swift
//   mended=N          N such faults
//   terminated        sends itself SIGTERM and goes on, as far as it comes
//   endless=T         T threads that log for as long as the program runs
//   exec=ARGUMENT     replaces the process by this program with the argument
//   eat               takes memory until the process is killed for it
//   killed=K,T,FILE   T threads that log until the process is killed, and note how far they came in a
//                     file: see Killed.swift
//   sleeping=S,FILE   Winnow.start with deferred delivery, overflow drop, to a sink that is asleep for S
//                     seconds within its first record, and to a file where one is given
//   hanging=FILE      Winnow.start with a file of JSON lines and a sink that never returns from an error
//   warnings=N        N warnings of a kilobyte
//   notices=N,BYTES   N notices of so many bytes: "0 nnn…" …
//   starve            takes all descriptors that there are
//   feed=N            gives N of them back, or all
//   fork-at-start     a fork while another thread starts the log with the first record
//   forks=N           N forks while another thread starts the log anew and anew
//   starts            starts the log anew and anew on a thread of its own
//   daemon=T          becomes a daemon with T threads that log, which exits soon
//   sleep=S           sleeps for S seconds, which need not be whole
//   openssl           uses OpenSSL, which is cleaned up at exit then; nothing where there is none
//   openssl-cleanup   has it clean up at once
//   handle=N          handles the signal by exit(3) with status 7, as an application would
//   end=HOW           ends the process: exit, exits on two threads at a time, _exit or main
//   passing=N         two modules print N lines each, "own 0" …, "read 0" …: see Passing.swift
//   wait              waits for a line on standard input
//   reopen-on-hangup  opens all destinations anew at SIGHUP, as an application would
//   step=TEXT         writes the text to standard output, and waits for a line on standard input
//   flush=N           flushes, at most N seconds, or five
//   no-status         writes no account at the end

import Dispatch
import Glibc
import Winnow

let log = Log("program")

func logFields() {
    log.notice(
        "odd names",
        fields: [
            "request.id": "r1", "9lives": 9, "_PID": 1, "naïve": true, "PRIORITY": 0,
            "message": "no", "a": 1, "A": 2, "": "empty",
            "a_name_that_is_longer_than_the_sixty_four_bytes_that_the_journal_takes": 3.5,
        ]
    )
}

func logFromThreads(_ numbers: [Int]) async {
    guard numbers.count == 2 else { return }
    await withTaskGroup { group in
        for thread in 0..<numbers[0] {
            group.addTask {
                for number in 0..<numbers[1] {
                    log.notice("thread \(thread) number \(number, as: "number")")
                }
            }
        }
    }
}

func logNotices(_ numbers: [Int]) {
    guard numbers.count == 2 else { return }
    let text = String(repeating: "n", count: numbers[1])
    for number in 0..<numbers[0] { log.notice("\(number) \(text)") }
}

func start(_ name: String) {
    do {
        try Winnow.start(.init(identifier: name, facility: .daemon, filter: "info"))
    } catch {
        print("error: \(error)")
    }
}

func deliver(_ mode: String) {
    do {
        try Winnow.start(.init(delivery: mode == "deferred" ? .deferred : .immediate))
    } catch {
        print("error: \(error)")
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
func fork_() -> Int32

func logFromChild(_ count: Int) {
    let child = fork_()
    let name = child == 0 ? "child" : "parent"
    for number in 0..<count { log.notice("\(name) \(number)") }
    if child == 0 {
        Winnow.flush(deadline: .seconds(60))
        exit(0)
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
}

/// A task that logs until it learns that it is cancelled, and 50 records more.
func logFromCancelledTask() async {
    let task = Task {
        var number = 0
        while !Task.isCancelled || number < 50 {
            // The one that cancels may be long in coming, and nobody reads so fast for so long.
            if number < 1_000 {
                log.notice("task \(number)")
                number += 1
            }
            await Task.yield()
        }
        for last in number..<number + 50 { log.notice("task \(last)") }
        return number + 50
    }
    task.cancel()
    print("task logged \(await task.value)")
}

func die(_ how: String) {
    switch how {
    case "fatal": fatalError("the end")
    case "abort": abort()
    case "fault": unsafe UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    case "heap":
        // malloc finds the size of its rest overwritten, and aborts with its lock held. More than the 16 bytes of
        // its head there may not be. From glibc 2.41 on, no handler runs then on a thread that blocks SIGABRT,
        // as each of Dispatch does until it logs.
        log.notice("last")
        if let block = unsafe malloc(65_536) { unsafe memset(block + 65_536, 0xFF, 16) }
        unsafe print(malloc(65_536) as Any)
    case "stack": print(overflow(0))
    case "pipe":
        var ends: [Int32] = [0, 0]
        unsafe pipe(&ends)
        close(ends[0])
        unsafe print(write(ends[1], "x", 1))
    default:
        kill(getpid(), Int32(how) ?? SIGTERM)
        while true { pause() }
    }
}

/// A sink with a fault.
final class BadSink: Sink {
    private let how: String

    init(_ how: String) {
        self.how = how
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        if record.sequence == 10 { die(how) }
    }
}

func startWithBadSink(_ how: String) {
    do {
        try Winnow.start(.init(routes: [.stderr(), .sink(BadSink(how))], delivery: .deferred))
    } catch {
        print("error: \(error)")
    }
}

/// What waits for SIGHUP, for as long as the program runs.
nonisolated(unsafe) var hangups: (any DispatchSourceSignal)?

func reopenOnHangup() {
    signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler { Winnow.reopen() }
    source.activate()
    unsafe hangups = source
}

func endWithin() -> Int {
    exit(0)
}

func startBadly() {
    do {
        try Winnow.start(.init(routes: [.file("/nowhere/at/all.log")], filter: "net=debgu"))
    } catch {
        print("error: \(error)")
    }
}

func run(_ task: String, _ value: String) async {
    switch task {
    case "levels": for level in Level.allCases { log.log(level, "level \(level)") }
    case "say": log.notice(LogMessage(verbatim: value))
    case "fields": logFields()
    case "many-fields":
        log.notice("many", fields: (0..<(Int(value) ?? 0)).map { Field("field\($0)", $0) })
    case "big": log.notice(LogMessage(verbatim: String(repeating: "x", count: Int(value) ?? 0)))
    case "private":
        log.notice("user \("ann", as: "user", privacy: .private) \("key", privacy: .sensitive)")
    case "limited":
        for number in 0..<(Int(value) ?? 0) {
            log.once.warning("once")
            Log.every(3).notice("third \(number)")
        }
    case "threads": await logFromThreads(value.split(separator: ",").compactMap { Int($0) })
    case "categories":
        for name in ["net", "net.http", "network", "db.pool"] { Log(name).debug("in \(name)") }
    case "many-categories":
        for number in 0..<(Int(value) ?? 0) { Log("many.\(number)").notice("\(number)") }
    case "errno":
        errno = EADDRINUSE
        log.error("bind failed", errno: errno)
        print("errno \(errno)")
    case "start": start(value)
    case "start-bad": startBadly()
    case "delivery": deliver(value)
    case "fork": logFromChild(Int(value) ?? 0)
    case "children": await logWithChildren(Int(value) ?? 0)
    case "cancelled": await logFromCancelledTask()
    case "cancelled-thread": logFromCancelledThread()
    case "burst":
        for number in 0..<(Int(value) ?? 0) { log.notice("\(number)") }
    case "die": die(value)
    case "overflow":
        if value == "main" { await MainActor.run { logAndOverflow() } } else { overflowOnThread() }
    case "bad-sink": startWithBadSink(value)
    case "mend": mendFaults()
    case "mended": fault(times: Int(value) ?? 0)
    case "terminated":
        kill(getpid(), SIGTERM)
        usleep(200_000)
    case "signal": kill(getpid(), Int32(value) ?? 0)
    case "killed": logUntilKilled(value)
    case "endless": logEndlessly(threads: Int(value) ?? 0)
    case "sleeping":
        let words = value.split(separator: ",")
        let file = words.count > 1 ? String(words[1]) : nil
        startWithSleepingSink(Int(words.first ?? "") ?? 0, file: file)
    case "hanging": startWithHangingSink(beside: value)
    case "warnings":
        let text = String(repeating: "w", count: 1_000)
        for number in 0..<(Int(value) ?? 0) { log.warning("\(number) \(text)") }
    case "notices": logNotices(value.split(separator: ",").compactMap { Int($0) })
    case "starve": takeDescriptors()
    case "feed": giveDescriptorsBack(Int(value) ?? .max)
    case "fork-at-start": forkWhileStarting()
    case "forks": forkAmidStarts(Int(value) ?? 0)
    case "starts": startForEver()
    case "daemon": becomeDaemon(threads: Int(value) ?? 0)
    case "sleep":
        let time = (Double(value) ?? 0) * 1_000
        sleep(UInt32(time) / 1_000)
        usleep(UInt32(time) % 1_000 * 1_000)
    case "openssl": useOpenSSL()
    case "openssl-cleanup": cleanUpOpenSSL()
    case "handle": signal(Int32(value) ?? 0) { _ in exit(7) }
    case "in-call":
        log.notice("before")
        log.notice("\(endWithin())")
    case "end": end(value)
    case "passing": printWhatPasses(Int(value) ?? 0)
    case "wait": _ = readLine()
    case "reopen-on-hangup": reopenOnHangup()
    case "step":
        print(value)
        fflush(nil)
        _ = readLine()
    case "flush": Winnow.flush(deadline: .seconds(Int(value) ?? 5))
    case "eat": takeMemory()
    case "exec": replaceProcess(by: value)
    case "no-status": break
    default: print("error: no task '\(task)'")
    }
}

for argument in CommandLine.arguments.dropFirst() {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    await run(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
}
if !CommandLine.arguments.contains("no-status") {
    let status = Winnow.status
    print("status accepted \(status.accepted)")
    for sink in status.sinks {
        let failure = sink.failure.map { " failure \($0)" } ?? ""
        print(
            "status sink \(sink.name) accepted \(sink.accepted) delivered \(sink.delivered)"
                + " diverted \(sink.diverted) queued \(sink.queued) lost \(sink.lostTotal)"
                + " waited \(sink.queueHighWater)\(failure)"
        )
    }
}
