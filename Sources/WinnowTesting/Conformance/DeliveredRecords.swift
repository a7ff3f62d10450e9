// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The records that a destination holds, and which of those that were written they are.
struct DeliveredRecords {
    /// One record of the destination.
    private struct Item {
        let bytes: [UInt8]
        /// The numbers of the records whose first mark it holds, and of those whose last one.
        let begun: [Int]
        let ended: [Int]
    }

    private let items: [Item]

    /// The records of one sort that a message about a failure lists.
    private static let listed = 5

    /// Looks for the marks of a run.
    init(_ records: [[UInt8]], run: String) {
        items = records.map { bytes in
            Item(
                bytes: bytes,
                begun: Self.numbers(behind: "\(run)b", in: bytes),
                ended: Self.numbers(behind: "\(run)e", in: bytes)
            )
        }
    }

    /// Whether the record has come, to its end.
    func holds(_ sample: ConformanceSample) -> Bool {
        items.contains { $0.ended.contains(sample.number) }
    }

    /// Says in which way the destination differs from the records that it must hold, in sentences.
    func differences(
        from expected: [ConformanceSample],
        isText: Bool,
        wholeByteCount: Int
    ) -> [String] {
        var findings: [String] = []
        findings += counts(of: expected)
        findings += strangers(beside: expected)
        findings += pieces(of: expected, wholeByteCount: wholeByteCount)
        if findings.isEmpty { findings += disorder(of: expected) }
        if isText { findings += harmfulItems(among: expected) }
        return findings
    }

    /// What is missing, and what is there more than once.
    private func counts(of expected: [ConformanceSample]) -> [String] {
        var counts: [Int: Int] = [:]
        for number in items.flatMap(\.begun) { counts[number, default: 0] += 1 }
        let marked = expected.filter(\.isMarked)
        let missing = marked.filter { counts[$0.number] == nil }
        let repeated = marked.filter { counts[$0.number, default: 0] > 1 }
        return Self.say("is missing", of: missing)
            + Self.say("is there more than once", of: repeated)
    }

    /// Records that must not be there: without a mark, or not taken by the sink.
    private func strangers(beside expected: [ConformanceSample]) -> [String] {
        let numbers = Set(expected.map(\.number))
        let unmarked = items.filter { $0.begun.isEmpty }
        let unmarkedCount = expected.count { !$0.isMarked }
        var findings: [String] = []
        if unmarked.count > unmarkedCount {
            let shown = unmarked.prefix(Self.listed).map { Self.shown($0.bytes) }
            findings.append("there are records that nobody wrote: \(shown.joined(separator: ", "))")
        }
        if unmarked.count < unmarkedCount {
            findings.append("a record with an empty message is missing")
        }
        let refused = items.filter { !$0.begun.allSatisfy(numbers.contains) }
        findings += refused.prefix(Self.listed).map {
            "a record is there that the sink did not take: \(Self.shown($0.bytes))"
        }
        return findings
    }

    /// Records that are not whole, or run into each other.
    private func pieces(of expected: [ConformanceSample], wholeByteCount: Int) -> [String] {
        let samples = Dictionary(uniqueKeysWithValues: expected.map { ($0.number, $0) })
        var findings: [String] = []
        for item in items {
            if item.begun.count > 1 {
                findings.append("records run into each other: \(Self.shown(item.bytes))")
            } else if let number = item.begun.first, let sample = samples[number] {
                let mayBeCut = sample.message.count > wholeByteCount
                guard item.ended != [number], !(mayBeCut && item.ended.isEmpty) else { continue }
                findings.append("\(sample.name) is not whole: \(Self.shown(item.bytes))")
            }
        }
        return Array(findings.prefix(Self.listed))
    }

    /// Records that stand in another order.
    private func disorder(of expected: [ConformanceSample]) -> [String] {
        let found = items.map { $0.begun.first }
        let wanted = expected.map { $0.isMarked ? $0.number : nil }
        guard let index = zip(found, wanted).enumerated().first(where: { $1.0 != $1.1 })?.offset
        else { return [] }
        return ["the order differs from the record number \(index + 1) on: \(expected[index].name)"]
    }

    /// Records whose bytes a line of text must not hold.
    private func harmfulItems(among expected: [ConformanceSample]) -> [String] {
        let names = Dictionary(uniqueKeysWithValues: expected.map { ($0.number, $0.name) })
        let findings = items.compactMap { item -> String? in
            guard let harm = HarmfulText.first(in: item.bytes) else { return nil }
            let name = item.begun.first.flatMap { names[$0] } ?? "a record"
            return "\(name) stands at the destination with \(harm): \(Self.shown(item.bytes))"
        }
        return Array(findings.prefix(Self.listed))
    }

    private static func say(_ what: String, of samples: [ConformanceSample]) -> [String] {
        guard let first = samples.first else { return [] }
        let more = samples.count > 1 ? ", and \(samples.count - 1) more" : ""
        return ["record \(first.number), \(first.name), \(what)\(more)"]
    }

    /// The bytes as a message about a failure shows them: 80 of them at most, with escapes.
    static func shown(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(80), as: UTF8.self).debugDescription
        return bytes.count > 80 ? "\(text)… of \(bytes.count) bytes" : text
    }

    /// Returns the numbers that stand behind a mark and before an `x`.
    private static func numbers(behind mark: String, in bytes: [UInt8]) -> [Int] {
        let mark = Array(mark.utf8)
        var numbers: [Int] = []
        var start = 0
        while let place = place(of: mark, in: bytes, from: start) {
            start = place + mark.count
            var number = 0
            while start < bytes.count, 0x30...0x39 ~= bytes[start], number < 1 << 32 {
                number = number * 10 + Int(bytes[start] - 0x30)
                start += 1
            }
            if start < bytes.count, bytes[start] == UInt8(ascii: "x") { numbers.append(number) }
        }
        return numbers
    }

    /// Returns where the mark stands next.
    ///
    /// memchr(3) skips what is not its first byte, of which a message of 1 MiB has much.
    private static func place(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        unsafe bytes.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return nil }
            var start = start
            // SAFETY: as many bytes as are looked at stand behind the start.
            while start + mark.count <= bytes.count,
                let found = unsafe memchr(base + start, Int32(mark[0]), bytes.count - start)
            {
                start = unsafe UnsafeRawPointer(found) - base
                guard start + mark.count <= bytes.count else { return nil }
                if unsafe memcmp(base + start, mark, mark.count) == 0 { return start }
                start += 1
            }
            return nil
        }
    }
}

/// What must not stand in a line of text that people read.
enum HarmfulText {
    /// Returns the first such thing, in words; nil where there is none.
    static func first(in bytes: [UInt8]) -> String? {
        if bytes.allSatisfy({ 0x20...0x7E ~= $0 || $0 == 0x09 }) { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return "bytes that are not UTF-8"
        }
        let harmful = text.unicodeScalars.first { scalar in
            guard scalar.value >= 0x7F || scalar.value < 0x20 else { return false }
            return scalar.value != 0x09
                && (scalar.properties.generalCategory == .control
                    || scalar.properties.generalCategory == .lineSeparator
                    || scalar.properties.generalCategory == .paragraphSeparator
                    || scalar.properties.isBidiControl)
        }
        return harmful.map { "U+\(String($0.value, radix: 16, uppercase: true))" }
    }
}
