// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

struct RecordMakingTests {
    @Test
    func `a record has what it was made of`() {
        withRecord(
            "disk \("sda", as: "disk") is full",
            level: .error,
            category: "disks",
            fields: ["used": 100],
            timestamp: 1,
            sequence: 2,
            levelSequence: 6,
            run: 7,
            threadID: 3,
            processID: 4,
            location: SourceLocation(fileID: "M/F.swift", function: "f()", line: 5)
        ) { record in
            #expect(record.message == "disk sda is full")
            #expect(record.level == .error)
            #expect(record.category == "disks")
            #expect(record.fields == [Field("disk", "sda"), Field("used", 100)])
            #expect(record.timestamp == 1)
            #expect(record.sequence == 2)
            #expect(record.levelSequence == 6)
            #expect(record.run == 7)
            #expect(record.threadID == 3)
            #expect(record.processID == 4)
            #expect(record.location.fileID == "M/F.swift")
            #expect(record.location.line == 5)
        }
    }

    @Test
    func `private values are masked as the policy says`() {
        let message: LogMessage = "\("ann", privacy: .private)"
        #expect(withRecord(message) { $0.message } == "<private>")
        #expect(withRecord(message, privacy: .show) { $0.message } == "ann")
    }

    @Test
    func `what the body returns and throws comes out`() throws {
        struct Failure: Error {}
        #expect(withRecord("m") { $0.message.count } == 1)
        #expect(throws: Failure.self) {
            try withRecord("m") { _ throws(Failure) in throw Failure() }
        }
    }

    @Test func `what a formatter makes of a record is text`() {
        struct Bytes: Formatter {
            func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
                record.appendMessage(to: &buffer)
                buffer.append(0xFF)
            }
        }
        #expect(withRecord("größe") { $0.formatted(by: Bytes()) } == "größe\u{FFFD}")
        #expect(withRecord("m") { $0.formatted(by: TextFormatter(time: .none)) } == "notice  m\n")
    }
}
