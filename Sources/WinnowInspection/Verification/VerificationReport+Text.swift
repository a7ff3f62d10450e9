// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

extension VerificationReport {
    /// The ranges of missing numbers that are listed; of more, how many there are.
    private static let listedRanges = 20

    /// The report for people: a table for each run with what there is to say of it, then the verdict.
    package var text: String {
        var lines: [String] = []
        for run in runs {
            lines.append(Self.heading(of: run))
            lines += Self.table(of: run.levels)
            lines += run.levels.flatMap(Self.remarks)
            lines.append("")
        }
        lines += sources.flatMap(Self.remarks)
        lines.append(verdict)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func heading(of run: RunFinding) -> String {
        let (from, to) = (time(run.times.lowerBound), time(run.times.upperBound))
        let numbers = run.sequences.map { "sequence \(text(of: $0)), " } ?? ""
        return "run \(run.run.name), process \(run.run.processID), \(numbers)\(from) to \(to)"
    }

    /// A time as the log has it.
    static func time(_ microseconds: UInt64) -> String {
        let (nanoseconds, isTooMuch) = microseconds.multipliedReportingOverflow(by: 1_000)
        var buffer = ByteBuffer(capacity: 32)
        buffer.append(rfc3339: CivilTime(isTooMuch ? .max : nanoseconds))
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    private static func table(of levels: [LevelFinding]) -> [String] {
        let title = ["level", "records", "numbers", "reported lost", "missing without a report"]
        let rows = levels.map { level in
            [
                "\(level.level)", "\(level.records)", numbers(of: level), "\(level.lost)",
                "\(level.unexplained)",
            ]
        }
        let widths = title.indices.map { column in
            ([title] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([title] + rows).map { row in
            let cells = zip(row, widths).enumerated().map { index, cell in
                index == 0
                    ? cell.0.padded(to: cell.1)
                    : String(repeating: " ", count: cell.1 - cell.0.count) + cell.0
            }
            return "  " + cells.joined(separator: "  ")
        }
    }

    private static func numbers(of level: LevelFinding) -> String {
        level.range.map(text(of:)) ?? "-"
    }

    private static func text(of range: ClosedRange<UInt64>) -> String {
        range.lowerBound == range.upperBound
            ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
    }

    private static func text(of ranges: [ClosedRange<UInt64>]) -> String {
        let listed = ranges.prefix(listedRanges).map(text(of:)).joined(separator: ", ")
        let rest = ranges.count - listedRanges
        return rest > 0
            ? "\(listed) and \(counted(rest, "more range", plural: "more ranges"))" : listed
    }
}

/// What is said of a level below the table.
extension VerificationReport {
    private static func remarks(on level: LevelFinding) -> [String] {
        var remarks: [String] = []
        if level.unexplained > 0 { remarks.append(holes(of: level)) }
        if !level.contradicted.isEmpty {
            remarks.append(
                "two records of different content have one number: \(text(of: level.contradicted))"
            )
        }
        remarks += edges(of: level)
        if level.diverted > 0 {
            remarks.append("\(records(level.diverted)) went to the fallback")
        }
        if level.excluded > 0 {
            remarks.append(
                "\(records(level.excluded)) not for this sink, by an earlier configuration"
            )
        }
        if level.lostBefore > 0 {
            remarks.append(
                "\(records(level.lostBefore)) reported lost"
                    + (level.records > 0
                        ? " from before the beginning" : ", and none is in this log")
            )
        }
        if level.overreported > 0 {
            remarks.append(
                "\(records(level.overreported)) reported lost, and yet no number is missing for it"
            )
        }
        if level.repeated > 0 {
            remarks.append(
                "\(records(level.repeated)) \(level.repeated == 1 ? "stands" : "stand") here more than "
                    + "once, each time the same"
            )
        }
        if level.uncompared > 0 {
            remarks.append("\(records(level.uncompared)) came again too late to be compared")
        }
        return remarks.map { "  \(level.level): \($0)" }
    }

    private static func holes(of level: LevelFinding) -> String {
        let (holes, count) = (level.settledHoles, level.unexplained)
        if holes.size == count {
            return "missing, and in no report: \(text(of: holes))"
        }
        let explained =
            level.unsettled > 0 || level.underway > 0
            ? "\(count) are in no report" : "reports explain all but \(count)"
        return "of these missing numbers \(explained): \(text(of: holes))"
    }

    /// What is said of missing numbers at the beginning and at the end of a log.
    private static func edges(of level: LevelFinding) -> [String] {
        var remarks: [String] = []
        if level.beginsLate, let first = level.range?.lowerBound {
            remarks.append("begins at \(first): what was before is not in this log")
        }
        if level.unsettled > 0 {
            remarks.append("\(missing(level.early)) may stand before the beginning of the log")
        }
        if level.underway > 0 {
            remarks.append("\(missing(level.late)) may have been on the way when the log ends")
        }
        return remarks
    }

    private static func missing(_ excuse: Excuse) -> String {
        excuse.isWhole
            ? "missing: \(text(of: excuse.ranges)), which"
            : "\(excuse.count) of the missing \(text(of: excuse.ranges))"
    }
}

/// What is said of the whole log.
extension VerificationReport {
    private static func remarks(on source: SourceFinding) -> [String] {
        var remarks: [String] = []
        if source.unnumbered > 0 {
            let count = counted(source.unnumbered, "record")
            remarks.append("\(count) without a number of the level: of an earlier Winnow")
        }
        if source.foreign > 0 { remarks.append("\(counted(source.foreign, "line")) not of Winnow") }
        let torn = source.torn - (source.endsTorn ? 1 : 0)
        if torn > 0 { remarks.append("\(counted(torn, "line")) torn: only a part of a record") }
        if source.endsTorn {
            remarks.append("the last line is torn: the log ends in the middle of a record")
        }
        remarks += suppressions(source.suppressions)
        return remarks.map { "\(source.name.escaped(.line)): \($0)" }
    }

    /// What journald says of each unit, and what sets its limit.
    private static func suppressions(_ suppressions: [Suppression]) -> [String] {
        Dictionary(grouping: suppressions, by: \.unit).sorted { $0.key < $1.key }.map { unit, all in
            let count = all.reduce(0 as UInt64) { $0.adding($1.count) }
            let times = all.map { time($0.time) }
            let range = all.count == 1 ? times[0] : "\(times[0]) to \(times[times.count - 1])"
            return "journald suppressed \(messages(count)) of \(unit.escaped(.line)), as it says "
                + "at \(range): more came than its rate limit allows, RateLimitBurst= in journald.conf or "
                + "LogRateLimitBurst= of the unit"
        }
    }

    private var verdict: String {
        let seen =
            "\(counted(runs.count, "run")), \(records(sum(\.records)))"
        let unexplained = sum(\.unexplained)
        let contradicted = levels.reduce(0) { $0 + $1.contradicted.count }
        var faults: [String] = []
        if unexplained > 0 {
            faults.append(
                "\(unexplained == 1 ? "1 number is" : "\(unexplained) numbers are") missing without a report"
            )
        }
        if isComplete, sum(\.overreported) > 0 {
            faults.append("records are there that were reported lost")
        }
        if suppressed > 0 {
            faults.append("journald suppressed \(messages(suppressed)) of the unit")
        }
        if contradicted > 0 { faults.append("numbers stand for two records") }
        guard faults.isEmpty else { return "\(seen): FAILS: \(faults.joined(separator: ", "))" }
        let lost = sum(\.lost)
        return "\(seen): nothing was lost in silence\(bound)"
            + (lost > 0 ? "; \(records(lost)) reported lost" : "") + excuses
    }

    /// How many missing numbers the verdict leaves out: who reads nothing else must not take it for
    /// more.
    private var excuses: String {
        let count = sum(\.unsettled).adding(sum(\.underway))
        guard count > 0 else { return "" }
        let numbers = count == 1 ? "1 missing number is" : "\(count) missing numbers are"
        return "; \(numbers) excused at an edge of the log: --complete excuses none"
    }

    /// Up to where the verdict holds: a log that was cut off behind its last record looks the same.
    private var bound: String {
        guard runs.count == 1 else { return " up to the last sequence of each run" }
        return runs[0].sequences.map { " up to sequence \($0.upperBound)" } ?? ""
    }
}

/// Returns a number of messages with its noun.
private func messages(_ count: UInt64) -> String {
    count == 1 ? "1 message" : "\(count) messages"
}

/// Returns a number of records with its noun, for numbers that a damaged log may make large.
private func records(_ count: UInt64) -> String {
    count == 1 ? "1 record" : "\(count) records"
}
