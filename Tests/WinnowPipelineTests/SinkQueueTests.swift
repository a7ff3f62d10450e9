// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import WinnowCore
import WinnowPipeline

/// The records that wait for a sink: all are there, in their order, whatever their sizes, and one that somebody reads
/// stays as it is.
struct SinkQueueTests {
    private let header = unsafe RecordHeader(
        category: Pipeline.category(named: "tests.queue").pointer,
        level: .error
    )

    /// Appends a record with a number, whose arguments are so many bytes that depend on it.
    private func append(
        _ number: UInt64,
        of byteCount: Int,
        level: Level = .error,
        to queue: inout SinkQueue
    ) -> Bool {
        var header = unsafe RecordHeader(category: self.header.category, level: level)
        header.sequence = number
        header.byteCount = UInt64(RecordHeader.byteCount + byteCount)
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
        return unsafe bytes.withUnsafeBytes { bytes in
            // An empty array may have no address.
            let start =
                unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
            return unsafe queue.append(header, arguments: start)
        }
    }

    private func isWhole(_ record: QueuedRecord) -> Bool {
        let byteCount = unsafe Int(record.header.pointee.byteCount) - RecordHeader.byteCount
        let bytes = unsafe UnsafeRawBufferPointer(start: record.arguments, count: byteCount)
        let byte = unsafe UInt8(truncatingIfNeeded: record.header.pointee.sequence)
        return unsafe bytes.allSatisfy { $0 == byte }
    }

    private func removeAll(from queue: inout SinkQueue) -> [UInt64] {
        var numbers: [UInt64] = []
        while let record = unsafe queue.first {
            unsafe numbers.append(record.header.pointee.sequence)
            #expect(unsafe isWhole(record))
            queue.removeFirst()
        }
        return numbers
    }

    /// Sizes of which some do not fit at the end of the memory, and some not with others.
    @Test(arguments: [3_000, 70_000, 400_000], [200, 5_000, 90_000])
    func `what comes in goes out, in its order and whole`(capacity: Int, largest: Int) {
        var queue = SinkQueue(capacity: capacity)
        var waiting: [(number: UInt64, byteCount: Int)] = []
        var state: UInt64 = 7
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var number: UInt64 = 0
        var lent: QueuedRecord?
        for _ in 0..<20_000 {
            switch next(8) {
            case 0...3:
                number += 1
                let byteCount = next(largest) & ~7
                let isRoom =
                    waiting.isEmpty
                    || waiting.reduce(0) { $0 + $1.byteCount } + byteCount
                        + RecordHeader.byteCount * (waiting.count + 1) <= capacity
                let isKept = append(number, of: byteCount, to: &queue)
                // What is lent may take the room of another.
                let isLent = unsafe lent != nil
                #expect(isRoom == isKept || (isRoom && isLent))
                if isKept { waiting.append((number, byteCount)) }
            case 4...6 where !waiting.isEmpty:
                let first = waiting.removeFirst()
                let number = unsafe queue.first.map { unsafe $0.header.pointee.sequence }
                #expect(number == first.number)
                queue.removeFirst()
            default:
                if let record = unsafe lent { #expect(unsafe isWhole(record)) }
                unsafe lent = unsafe queue.lendFirst()
                let number = unsafe lent.map { unsafe $0.header.pointee.sequence }
                #expect(number == waiting.first?.number)
            }
            #expect(queue.count == waiting.count && queue.isEmpty == waiting.isEmpty)
        }
        if let record = unsafe lent { unsafe queue.endLoan(of: record) }
        #expect(removeAll(from: &queue) == waiting.map(\.number))
        #expect(queue.byteCount == 0 && queue.programCount == 0)
    }

    @Test func `a record that is lent stays as it is when others have taken its place`() throws {
        var queue = SinkQueue(capacity: 10_000)
        #expect(append(1, of: 4_000, to: &queue))
        let first = unsafe queue.lendFirst()
        let lent = unsafe try #require(first)
        for number in 2..<500 as Range<UInt64> {
            queue.removeFirst()
            #expect(append(number, of: 4_000, to: &queue) || number > 30)
        }
        let number = unsafe lent.header.pointee.sequence
        #expect(unsafe isWhole(lent) && number == 1)
        unsafe queue.endLoan(of: lent)
        _ = removeAll(from: &queue)
        for number in 500..<1_000 as Range<UInt64> {
            #expect(append(number, of: 4_000, to: &queue))
            #expect(removeAll(from: &queue) == [number])
        }
    }

    @Test func `one that is larger than the queue waits alone, and the next ones are as ever`() {
        var queue = SinkQueue(capacity: 100_000)
        for number in stride(from: 1, to: 40, by: 4) as StrideTo<UInt64> {
            #expect(append(number, of: 3_000_000, to: &queue))
            #expect(!append(number + 1, of: 8, to: &queue))
            #expect(removeAll(from: &queue) == [number])
            #expect(append(number + 2, of: 60_000, to: &queue))
            #expect(append(number + 3, of: 30_000, to: &queue))
            #expect(removeAll(from: &queue) == [number + 2, number + 3])
        }
    }

    @Test func `room is kept for what matters`() {
        var queue = SinkQueue(capacity: 100_000)
        var number: UInt64 = 0
        func fill(_ level: Level) -> Int {
            number += 1
            while append(number, of: 920, level: level, to: &queue) { number += 1 }
            return queue.byteCount
        }
        #expect(fill(.debug) <= 50_000 && queue.byteCount > 48_000)
        #expect(fill(.notice) <= 75_000 && queue.byteCount > 73_000)
        #expect(fill(.warning) <= 100_000 && queue.byteCount > 98_000)
        #expect(queue.highWater == queue.byteCount)
        // What Winnow says itself has no number.
        #expect(append(0, of: 920, to: &queue))
        #expect(queue.count == queue.programCount + 1)
        _ = removeAll(from: &queue)
    }

    @Test func `an empty queue keeps little memory`() async {
        await #expect(processExitsWith: .success) {
            let tests = SinkQueueTests()
            var queue = SinkQueue(capacity: 64 << 20)
            let before = residentByteCount()
            for number in 1...60 as ClosedRange<UInt64> {
                #expect(tests.append(number, of: 1 << 20, to: &queue))
            }
            #expect(residentByteCount() > before + 60 << 20)
            #expect(tests.removeAll(from: &queue).count == 60)
            #expect(residentByteCount() < before + 8 << 20)
            #expect(tests.append(61, of: 1 << 20, to: &queue))
            #expect(tests.removeAll(from: &queue) == [61])
        }
    }
}
