// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline
import WinnowRecovery
import WinnowTesting

/// What lies in rings when the worker stands still, as others find it in the file; each test in a process of its own.
struct RecordedRingTests {
    @Test func `what is in rings is read in its order, with the numbers that it has`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try RecordedRingTests.logBehindAStalledWorker(in: folder)
            let bytes = try #require(folder.anyBytes())
            let lines = RecordedRingTests.lines(of: bytes)
            // The first is within the sink, and has a number as those that were taken with it.
            #expect(lines.map(\.sequence) == (1...501).map { UInt64($0) })
            #expect(lines.map(\.text).first == "first recovered=true")
            for thread in 0..<4 {
                let own = lines.map(\.text).filter { $0.hasPrefix("thread \(thread) ") }
                #expect(
                    own
                        == (0..<125).map {
                            "thread \(thread) number \($0) port=\($0) recovered=true"
                        }
                )
            }
            // Nobody reads it in another way the next time.
            #expect(RecordedRingTests.lines(of: bytes) == lines)
        }
    }

    @Test func `a message that had no room is said to be missing`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try RecordedRingTests.logBehindAStalledWorker(in: folder) {
                // It has memory of its own.
                let message: LogMessage = "made before its call: \(5)"
                Log("rings").error(message)
            }
            let bytes = try #require(folder.anyBytes())
            let lines = RecordedRingTests.lines(of: bytes)
            #expect(lines.count == 502)
            let apart = lines.filter { $0.text.hasPrefix("<a message of ") }
            #expect(apart.count == 1)
            #expect(apart.first?.text.contains("which had no room in the recorder> rec") == true)
            #expect(apart.first?.level == .error)
        }
    }

    @Test func `each page that is destroyed loses what lies in it, and no more`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try RecordedRingTests.logBehindAStalledWorker(in: folder)
            let sound = try #require(folder.anyBytes())
            let known = Set(RecordedRingTests.lines(of: sound).map(\.text))
            let file = try #require(RecordedFile(sound))
            let page = Int(cwinnow_recorder_unit)
            var lostWhole = 0
            for start in stride(from: page, to: sound.count, by: page)
            where sound[start..<start + page].contains(where: { $0 != 0 }) {
                var bytes = sound
                var random = SeededRandom(seed: UInt64(start))
                for place in start..<start + page {
                    bytes[place] = .random(in: 0...255, using: &random)
                }
                let lines = RecordedRingTests.lines(of: bytes).map(\.text)
                #expect(Set(lines).isSubset(of: known))
                // The storage of a ring behind its first page, which says where its records lie.
                let isStorage = file.regions.contains {
                    $0.kind == cwinnow_region_ring && $0.range.contains(start)
                        && $0.range.lowerBound != start
                }
                if isStorage { #expect(lines.count >= 501 - 60) }
                lostWhole += lines.count == 501 ? 0 : 1
            }
            #expect(lostWhole > 5)
        }
    }

    /// A line of a record that was left.
    fileprivate struct Line: Hashable {
        let sequence: UInt64
        let level: Level
        let text: String
    }

    /// Logs 501 records from five threads of which no sink gets more than the first.
    private static func logBehindAStalledWorker(
        in folder: MemoryFolder,
        _ more: @escaping @Sendable () -> Void = {}
    ) throws {
        let sink = ScriptedSink()
        let isInside = Counter()
        sink.onWrite { _ in
            isInside.increment()
            while true { pause() }
        }
        Pipeline.setCatchesSignals(false)
        try Winnow.start(
            .init(
                routes: [.sink(sink)],
                delivery: .deferred(),
                recorder: .init(folder: folder.path, byteCount: 4 << 20),
                environment: .ignored
            )
        )
        let first = StartedThread { Log("rings").notice("first") }
        first.join()
        while isInside.value == 0 { usleep(1_000) }
        let threads = (0..<4).map { thread in
            StartedThread {
                for number in 0..<125 {
                    Log("rings").notice("thread \(thread) number \(number)", ("port", number))
                }
            }
        }
        threads.forEach { $0.join() }
        StartedThread(more).join()
    }

    private static func lines(of bytes: [UInt8]) -> [Line] {
        guard let file = RecordedFile(bytes) else { return [] }
        let literals = RecordedLiterals(of: file.images)
        return RecordedRemains(file).records.compactMap { left in
            let record = unsafe RecordedRecord(left, in: file, literals) { _ in
                unsafe cwinnow_category_default()
            }
            return record?.line()
        }
    }
}

extension RecordedRecord {
    fileprivate borrowing func line() -> RecordedRingTests.Line {
        withRecord(privacy: .redact) { record in
            let fields = record.fields.map { " \($0.name)=\($0.value)" }.joined()
            return RecordedRingTests.Line(
                sequence: record.sequence,
                level: record.level,
                text: record.message + fields
            )
        }
    }
}
