// SPDX-License-Identifier: Apache-2.0

// Does what its arguments say on its first thread, as a program without concurrency does:
//
//   say=TEXT          one notice
//   burst=N           N records
//   waiting=CALL      notes "waits", waits in the system call, and notes "went on" if that ends: in the file
//                     `come`; CALL,thread has a thread of its own do that, which alone takes signals
//   daemon=N          N records, then daemon(3), then N records
//   untold-child      one record, which is flushed, and one in a child that _Fork(3) makes, which ends by
//                     exit(3); with =queued, without the flush
//   small-stack=K,N   N records on a thread whose stack has K KiB
//   odd-thread        the first record on a thread that is not as the process was started: see OddThread.swift
//   step              waits for a line on its standard input
//   endless=T         T threads that log for as long as the program runs, for a tenth of a second

import Glibc
import Winnow

/// daemon(3), which ends the parent by _exit(2) at once.
@_silgen_name("daemon")
private func daemon_(_ keepsFolder: Int32, _ keepsStreams: Int32) -> Int32

func logAroundDaemon(_ count: Int) {
    for number in 0..<count { Log.notice("before \(number)") }
    guard daemon_(1, 1) == 0 else { return print("daemon(3) failed: \(errno)") }
    for number in 0..<count { Log.notice("behind \(number)") }
}

/// _Fork(3), which runs no handler of pthread_atfork(3).
@_silgen_name("_Fork")
private func forkUntold() -> Int32

func logInUntoldChild(_ isAfterFlush: Bool) {
    Log.notice("parent")
    if isAfterFlush { Winnow.flush(deadline: .seconds(60)) }
    let child = forkUntold()
    if child == 0 {
        Log.notice("child")
        exit(0)
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
}

func logEndlessly(_ count: Int) {
    for _ in 0..<count {
        var thread = pthread_t()
        unsafe pthread_create(&thread, nil, { _ in while true { Log.notice("on and on") } }, nil)
    }
    usleep(100_000)
}

/// Logs so many records on a thread with a stack of so many kilobytes.
func logOnSmallStack(_ numbers: [Int]) {
    guard numbers.count == 2 else { return }
    let count = unsafe UnsafeMutableRawPointer(bitPattern: numbers[1])
    unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
        guard let attributes = attributes.baseAddress else { return }
        unsafe pthread_attr_init(attributes)
        guard unsafe pthread_attr_setstacksize(attributes, numbers[0] * 1_024) == 0 else {
            print("no stack of \(numbers[0]) KiB")
            return
        }
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread,
            attributes,
            { count in
                for number in 0..<Int(bitPattern: count) { Log.notice("small \(number)") }
                return nil
            },
            count
        )
        guard status == 0 else {
            print("no thread: \(status)")
            return
        }
        pthread_join(thread, nil)
    }
}

for argument in CommandLine.arguments.dropFirst() {
    let words = argument.split(separator: "=", maxSplits: 1).map(String.init)
    let value = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "say": Log.notice("\(value)")
    case "burst": for number in 0..<(Int(value) ?? 0) { Log.notice("\(number)") }
    case "waiting": waitInCall(value)
    case "daemon": logAroundDaemon(Int(value) ?? 0)
    case "untold-child": logInUntoldChild(value != "queued")
    case "small-stack": logOnSmallStack(value.split(separator: ",").compactMap { Int($0) })
    case "odd-thread": logFromOddThread()
    case "step": _ = readLine()
    case "endless": logEndlessly(Int(value) ?? 0)
    default: print("error: no task '\(argument)'")
    }
}
