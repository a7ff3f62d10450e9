// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

struct InMemorySinkTests {
    @Test func `everything about a record is kept`() throws {
        let sink = InMemorySink()
        let location = SourceLocation(fileID: "M/F.swift", function: "f()", line: 7)
        withRecord(
            "port \(80, as: "port")",
            level: .error,
            category: "net",
            fields: ["host": "h"],
            timestamp: 5,
            sequence: 6,
            levelSequence: 4,
            run: 3,
            threadID: 8,
            processID: 9,
            location: location
        ) { record in
            try? sink.write(record)
        }
        let record = try #require(sink.records.first)
        #expect(record.level == .error)
        #expect(record.category == "net")
        #expect(record.message == "port 80")
        #expect(record.fields == [Field("port", .integer(80)), Field("host", .string("h"))])
        #expect(record.timestamp == 5)
        #expect(record.sequence == 6)
        #expect(record.levelSequence == 4)
        #expect(record.run == 3)
        #expect(record.threadID == 8)
        #expect(record.processID == 9)
        #expect(record.location == location)
        #expect(record[field: "host"] == "h")
        #expect(record[field: "none"] == nil)
    }

    @Test func `the oldest records make room for new ones`() throws {
        let sink = InMemorySink(capacity: 3)
        for number in 1...7 { try sink.write("\(number)") }
        #expect(sink.records.map(\.message) == ["5", "6", "7"])
        #expect(sink.droppedCount == 4)
        sink.removeAll()
        #expect(sink.records == [])
        #expect(sink.droppedCount == 0)
    }
}
