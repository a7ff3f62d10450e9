// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowPipeline
import WinnowRecovery
import WinnowTesting

/// What waits for a sink, as others find it in the file; each test in a process of its own.
struct RecordedQueueTests {
    @Test func `what waits is read, oldest first`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            #expect(cwinnow_recorder_note_images() && note("net", at: RecordedQueueTests.cell))
            var queue = SinkQueue(capacity: 100_000, name: "file:/var/log/x")
            #expect(try RecordedQueueTests.lines(in: folder) == [])
            for number in 1...3 { #expect(RecordedQueueTests.append(number, to: &queue)) }
            let (names, lines) = try RecordedQueueTests.queues(in: folder)
            #expect(names == ["file:/var/log/x"])
            #expect(
                lines
                    == (1...3).map {
                        "notice [net] number \($0) of a test é port=\($0) recovered=true #\($0)"
                    }
            )
            queue.removeFirst()
            #expect(try RecordedQueueTests.lines(in: folder).count == 2)
            while !queue.isEmpty { queue.removeFirst() }
            #expect(try RecordedQueueTests.lines(in: folder) == [])
        }
    }

    @Test func `as many laps as one likes are read`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            #expect(cwinnow_recorder_note_images() && note("net", at: RecordedQueueTests.cell))
            var queue = SinkQueue(capacity: 10_000)
            var (first, last) = (1, 0)
            var random = SeededRandom(seed: 7)
            for round in 0..<20_000 {
                if Bool.random(using: &random), RecordedQueueTests.append(last + 1, to: &queue) {
                    last += 1
                } else if !queue.isEmpty {
                    queue.removeFirst()
                    first += 1
                }
                guard round % 500 == 0 else { continue }
                let lines = try RecordedQueueTests.lines(in: folder)
                #expect(
                    lines.map { $0.split(separator: "#").last }
                        == (first..<last + 1).map { "\($0)" }
                )
            }
            #expect(first > 1_000)
        }
    }

    @Test func `whatever is damaged, what is read is whole`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            #expect(cwinnow_recorder_note_images() && note("net", at: RecordedQueueTests.cell))
            var queue = SinkQueue(capacity: 100_000)
            for number in 1...100 { #expect(RecordedQueueTests.append(number, to: &queue)) }
            let sound = try #require(folder.bytes())
            let file = try #require(RecordedFile(sound))
            let region = try #require(file.regions.first { $0.kind == cwinnow_region_queue })
            let places = try #require(RecordedQueue(region, in: file)).records
            let range =
                region.range.lowerBound
                + Int(cwinnow_recorder_unit)..<(places.last?.upperBound ?? 0)
            let soundLines = Set(try RecordedQueueTests.queues(in: sound).lines)
            #expect(soundLines.count == 100)
            var readCount = 0
            for seed in 0..<UInt64(200) {
                var random = SeededRandom(seed: seed)
                var bytes = sound
                for _ in 0..<4 {
                    bytes[.random(in: range, using: &random)] = .random(in: 0...255, using: &random)
                }
                let lines = try RecordedQueueTests.queues(in: bytes).lines
                readCount += lines.count
                #expect(lines.count <= 100)
                // Those whose bytes are as they were.
                #expect(lines.count { soundLines.contains($0) } >= 96)
            }
            // Four bytes damage four records at most.
            #expect(readCount >= 200 * 96)
            // Where they begin and end: nothing is read of what is not known.
            for _ in 0..<200 {
                var bytes = sound
                for _ in 0..<2 {
                    let place = region.range.lowerBound + Int.random(in: 0..<16)
                    bytes[place] ^= 1 &<< UInt8.random(in: 0..<8)
                }
                #expect(
                    try RecordedQueueTests.queues(in: bytes).lines.allSatisfy(soundLines.contains)
                )
            }
        }
    }

    /// The address of the category's cell.
    private static let cell: UInt = 0x4000

    /// Appends a record with a literal, a value and a field.
    private static func append(_ number: Int, to queue: inout SinkQueue) -> Bool {
        let message: LogMessage = "number \(number) of a test é"
        var encoder = message.encoder
        encoder.adopt()
        encoder.appendFields([Field("port", .integer(Int64(number)))])
        encoder.close()
        let start = unsafe Encoder.start(of: encoder.owner.unsafelyUnwrapped)
        let count = unsafe encoder.position - start
        defer { withExtendedLifetime(encoder) {} }
        guard let cell = unsafe UnsafeMutablePointer<cwinnow_cell>(bitPattern: cell) else {
            return false
        }
        var header = unsafe RecordHeader(category: cell, level: .notice)
        header.byteCount = UInt64(RecordHeader.byteCount + count)
        header.sequence = UInt64(number)
        return unsafe queue.append(header, arguments: start)
    }

    private static func lines(in folder: MemoryFolder) throws -> [String] {
        try queues(in: folder).lines
    }

    private static func queues(in folder: MemoryFolder) throws -> (names: [String], lines: [String])
    {
        try queues(in: try #require(folder.bytes()))
    }

    /// The names of the sinks, and a line for each record that waits.
    private static func queues(in bytes: [UInt8]) throws -> (names: [String], lines: [String]) {
        guard let file = RecordedFile(bytes) else { return ([], []) }
        let literals = RecordedLiterals(of: file.images)
        let queues = file.regions.compactMap { RecordedQueue($0, in: file) }
        let lines = RecordedRemains(file).records.compactMap { record -> String? in
            let record = unsafe RecordedRecord(record, in: file, literals) {
                unsafe makeCell($0)
            }
            guard let record else { return nil }
            return record.withRecord(privacy: .redact) { record in
                "\(record.level) [\(record.category)] \(record.message) "
                    + record.fields.map { "\($0.name)=\($0.value) " }.joined()
                    + "#\(record.sequence)"
            }
        }
        return (queues.map(\.name), lines)
    }
}

/// Makes the cell of a category, which is never freed.
private func makeCell(_ name: String) -> UnsafeMutablePointer<cwinnow_cell> {
    let bytes = Array(name.utf8)
    return unsafe cwinnow_category_make(bytes, bytes.count) ?? cwinnow_category_default()
}
