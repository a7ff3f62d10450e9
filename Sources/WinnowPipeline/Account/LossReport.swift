// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What a sink has lost since the last report: the text and the fields of a `WINNOW_LOST` record.
struct LossReport {
    private var tally = LevelTally()
    private var causes: Set<LossCause> = []
    private var sequences: ClosedRange<UInt64>?
    private var times: ClosedRange<UInt64>?

    var isEmpty: Bool { causes.isEmpty }

    /// Whether a record is among them that has a smaller number.
    func isOfLoss(before sequence: UInt64) -> Bool {
        sequences.map { $0.lowerBound < sequence } ?? false
    }

    /// Adds one record.
    mutating func add(_ header: RecordHeader, cause: LossCause) {
        tally.add(header)
        causes.insert(cause)
        sequences = widen(sequences, to: header.sequence)
        times = widen(times, to: header.timestamp)
    }

    /// Adds records that no ring had room for.
    mutating func add(_ loss: RingLoss) {
        tally.add(loss.count, of: loss.level, numbers: loss.levelNumbers)
        causes.insert(.overflow)
        for bound in [loss.numbers.lowerBound, loss.numbers.upperBound] {
            sequences = widen(sequences, to: bound)
        }
        for bound in [loss.times.lowerBound, loss.times.upperBound] {
            times = widen(times, to: bound)
        }
    }

    /// Adds records of which only the level is known, and numbers among which theirs are.
    mutating func add(
        _ count: UInt64,
        of level: Level,
        numbers: ClosedRange<UInt64>,
        cause: LossCause
    ) {
        tally.add(count, of: level, numbers: numbers)
        causes.insert(cause)
    }

    private func widen(_ range: ClosedRange<UInt64>?, to value: UInt64) -> ClosedRange<UInt64> {
        guard let range else { return value...value }
        return min(range.lowerBound, value)...max(range.upperBound, value)
    }

    /// Adds what another report holds.
    mutating func merge(_ other: LossReport) {
        tally.merge(other.tally)
        causes.formUnion(other.causes)
        for range in [other.sequences].compactMap({ $0 }) {
            sequences = widen(widen(sequences, to: range.lowerBound), to: range.upperBound)
        }
        for range in [other.times].compactMap({ $0 }) {
            times = widen(widen(times, to: range.lowerBound), to: range.upperBound)
        }
    }

    /// Calls the body with what the recorder keeps of it and of another one.
    func withRecorded(and other: LossReport, _ body: (inout cwinnow_recorder_losses) -> Void) {
        var report = self
        report.merge(other)
        var losses = cwinnow_recorder_losses()
        report.tally.forEach { level, count, numbers in
            unsafe cwinnow_recorder_set_loss(
                &losses,
                level.rawValue,
                count,
                numbers.lowerBound,
                numbers.upperBound
            )
        }
        losses.first_of_all = report.sequences?.lowerBound ?? 0
        losses.last_of_all = report.sequences?.upperBound ?? 0
        losses.from = report.times?.lowerBound ?? 0
        losses.until = report.times?.upperBound ?? 0
        body(&losses)
    }

    /// The report in words.
    var text: String {
        let reasons = LossCause.allCases.filter(causes.contains).map(\.rawValue)
        let counts = tally.counts
        let number = counts.total == 1 ? "1 record" : "\(counts.total) records"
        var text = "lost \(number) (\(counts)): \(reasons.joined(separator: ", "))"
        if let sequences {
            text += "; numbers \(sequences.lowerBound) to \(sequences.upperBound)"
        }
        return text
    }

    /// The report as fields: `WINNOW_LOST` and its siblings in the journal.
    var fields: [Field] {
        var fields = tally.fields(named: "winnow_lost")
        if let sequences {
            fields.append(Field("winnow_lost_first", .unsigned(sequences.lowerBound)))
            fields.append(Field("winnow_lost_last", .unsigned(sequences.upperBound)))
        }
        if let times {
            fields.append(Field("winnow_lost_from", .unsigned(times.lowerBound / 1_000)))
            fields.append(Field("winnow_lost_to", .unsigned(times.upperBound / 1_000)))
        }
        return fields
    }
}

extension RecordHeader {
    /// Whether the record is one of the program's, and not one that Winnow itself has to say.
    var isOfProgram: Bool { sequence != 0 }
}
