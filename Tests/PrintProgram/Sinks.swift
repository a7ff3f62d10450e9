// SPDX-License-Identifier: Apache-2.0

import Foundation
import NoisyC
import Winnow

/// Starts the log with a sink of the kind, and with the file whose path is in RECORDS, as JSON.
///
///     printing    prints each record in several ways
///     locked      takes the lock that the threads of Load.swift hold while they print
///     stalled     blocks at the first record, until it is released
///     formatter   writes to a buffer of its own by a formatter that prints
func startWithSink(_ how: String) throws {
    let sink: any Sink =
        switch how {
        case "printing": PrintingSink()
        case "locked": LockedSink()
        case "stalled": StalledSink()
        default: FormattingSink()
        }
    let path = ProcessInfo.processInfo.environment["RECORDS"] ?? ""
    try Winnow.start(.init(routes: [.file(path, format: .json), .sink(sink)]))
}

/// The lock that sinks take and that is held while lines are printed.
let sharedLock = NSLock()

/// Prints one line of each kind for a record.
private final class PrintingSink: Sink {
    func write(_ record: borrowing Record) throws(SinkError) {
        print("sink prints")
        NSLog("sink speaks")
        unsafe noisyc_puts("sink puts")
        unsafe noisyc_complain("sink complains")
        unsafe noisyc_write("sink writes")
        FileHandle.standardError.write(Data("sink handles\n".utf8))
    }
}

private final class LockedSink: Sink {
    func write(_ record: borrowing Record) throws(SinkError) {
        sharedLock.withLock {}
    }
}

private final class StalledSink: Sink {
    func write(_ record: borrowing Record) throws(SinkError) {
        Stall.stall()
    }
}

private final class FormattingSink: Sink {
    private struct PrintingFormatter: Winnow.Formatter {
        func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
            print("formatter prints")
            buffer.append(UInt8(ascii: "x"))
        }
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        var buffer = ByteBuffer()
        PrintingFormatter().format(record, into: &buffer)
    }
}
