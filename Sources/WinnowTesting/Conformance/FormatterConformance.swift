// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// The laws of `Formatter` as checks that any formatter can be run through.
///
/// ```swift
/// try FormatterConformance(MyFormatter()).run().verify()
/// ```
/// The line is the same in swift-testing and in XCTest. The checks need no destination and no time.
///
/// A value: MT-Safe, AS-Unsafe.
public struct FormatterConformance: Sendable {
    private let formatter: any Formatter
    private let isText: Bool
    private let split: @Sendable ([UInt8]) -> [[UInt8]]

    /// Creates the checks of a formatter.
    ///
    /// - Parameters:
    ///   - formatter: The formatter; one for a terminal without its colors, which are control
    ///     characters.
    ///   - isText: Whether people read the bytes of a record: they must be UTF-8 without control
    ///     characters then.
    ///   - split: Parts bytes into records as the destination does. The default is the lines, each
    ///     of which a line feed ends.
    public init(
        _ formatter: any Formatter,
        isText: Bool = true,
        split: @escaping @Sendable ([UInt8]) -> [[UInt8]] = FormatterConformance.lines
    ) {
        self.formatter = formatter
        self.isText = isText
        self.split = split
    }

    /// Parts bytes into lines; what follows the last line feed is one more where there is any.
    public static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Checks the laws.
    ///
    /// MT-Safe, AS-Unsafe.
    public func run() -> ConformanceReport {
        let findings = [appending(), oneRecord(), independence()]
        let results = zip(ConformanceLaw.ofFormatter, findings).map { law, findings in
            ConformanceReport.Result(
                law: law,
                outcome: findings.isEmpty ? .passed : .failed(findings)
            )
        }
        return ConformanceReport(results: results)
    }

    private static let run = "wc0z"
    /// 2026-11-21T09:30:15.123456Z, for all records.
    private static let timestamp: UInt64 = 1_795_253_415_123_456_000

    /// A record of each kind that is hard on a formatter.
    private var samples: [ConformanceSample] {
        var samples: [ConformanceSample] = []
        func add(
            _ name: String,
            _ text: [UInt8] = [],
            isOutside: Bool = false,
            fields: [ConformanceSample.Field] = [],
            _ change: (inout ConformanceSample) -> Void = { _ in }
        ) {
            var sample = ConformanceSample(
                number: samples.count + 1,
                run: Self.run,
                name: name,
                text: text,
                isOutside: isOutside,
                fields: fields
            )
            change(&sample)
            samples.append(sample)
        }
        add("a plain record", Array(" is a record ".utf8))
        for (name, text) in HostileText.messages {
            add(name, text)
            add("\(name) at both ends", text, isOutside: true)
            add("\(name) in a field", fields: [(Array("field".utf8), .text(text))])
            add("\(name) in the category") { $0.category = text }
            add("\(name) in the place") { $0.setPlace(text) }
        }
        for field in HostileText.fields { add("an odd field", fields: [field]) }
        add("a record with odd fields", fields: HostileText.fields)
        samples.append(ConformanceSample(emptyWithNumber: samples.count + 1))
        add("a message of 32 KiB", [UInt8](repeating: UInt8(ascii: "."), count: 32_768))
        add("the last record")
        return samples
    }

    private func appending() -> [String] {
        let held = Array("held \n\u{0} already".utf8)
        return samples.compactMap { sample in
            let all = bytes(of: sample, behind: held)
            guard all.starts(with: held), all.count > held.count else {
                return "\(sample.name) leaves \(DeliveredRecords.shown(all)) of a buffer that held"
                    + " \(DeliveredRecords.shown(held))"
            }
            return nil
        }
    }

    private func oneRecord() -> [String] {
        var all: [UInt8] = []
        let samples = samples
        for sample in samples { all += bytes(of: sample) }
        return DeliveredRecords(split(all), run: Self.run)
            .differences(from: samples, isText: isText, wholeByteCount: .max)
    }

    private func independence() -> [String] {
        let samples = samples
        let first = samples.map { bytes(of: $0) }
        return zip(samples.reversed(), first.reversed()).compactMap { sample, before in
            let now = bytes(of: sample)
            guard now != before else { return nil }
            return "\(sample.name) is \(DeliveredRecords.shown(now)), and was"
                + " \(DeliveredRecords.shown(before)) before"
        }
    }

    private func bytes(of sample: ConformanceSample, behind held: [UInt8] = []) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 1_024)
        buffer.append(held.span)
        LentRecord(sample, timestamp: Self.timestamp).lend { record in
            formatter.format(record, into: &buffer)
        }
        return buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
