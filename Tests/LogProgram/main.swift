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
//   wait              waits for a line on standard input
//   flush             flushes, at most five seconds
//   no-status         writes no account at the end

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

func start(_ name: String) {
    do {
        try Winnow.start(.init(identifier: name, facility: .daemon, filter: "info"))
    } catch {
        print("error: \(error)")
    }
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
    case "errno":
        errno = EADDRINUSE
        log.error("bind failed", errno: errno)
        print("errno \(errno)")
    case "start": start(value)
    case "start-bad": startBadly()
    case "wait": _ = readLine()
    case "flush": Winnow.flush(deadline: .seconds(5))
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
        print(
            "status sink \(sink.name) accepted \(sink.accepted) delivered \(sink.delivered)"
                + " diverted \(sink.diverted) queued \(sink.queued) lost \(sink.lostTotal)"
        )
    }
}
