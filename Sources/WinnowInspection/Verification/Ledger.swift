// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The account of a log: which numbers it holds, run by run and level by level, and what its reports
/// say of the others.
///
/// A sink sees all numbers of a level, from 1 on, but for those that it lost. So of one run and one
/// sink the numbers that are missing in a level, up to the last one that a record or a report has,
/// are as many as the reports count. Items may come in any order, and several times.
package struct Ledger: Sendable {
    /// What is known of one run.
    private struct RunAccount: Sendable {
        var times: ClosedRange<UInt64>
        var sequences: ClosedRange<UInt64>?
        var levels = [LevelAccount](repeating: LevelAccount(), count: Level.allCases.count)
        /// The reports so far: one that comes again counts once.
        var reports: Set<NumberedRecord> = []
        var firstRecords = EdgeRecords(.first, capacity: OnTheWay.threads + 1)
        var lastRecords = EdgeRecords(.last, capacity: Int(OnTheWay.distance))

        init(at time: UInt64) { times = time...time }
    }

    private var runs: [NumberedRecord.Run: RunAccount] = [:]
    private var recent = RecentFingerprints()
    /// What was read, in its order.
    package private(set) var sources: [SourceFinding] = []

    /// Creates an account of nothing.
    package init() {}

    /// Whether there is nothing to verify.
    package var isEmpty: Bool { runs.isEmpty }

    /// Begins with another file, or the journal: what is entered from now on is of it.
    package mutating func begin(_ source: String) {
        sources.append(SourceFinding(source))
    }

    /// Enters one line or entry.
    package mutating func add(_ item: LogItem) {
        if sources.isEmpty { begin("the log") }
        sources[sources.count - 1].count(item)
        if case .record(let record) = item { add(record) }
    }

    /// Enters what journald says of a unit whose entries were entered.
    package mutating func add(_ suppression: Suppression) {
        if sources.isEmpty { begin("the log") }
        sources[sources.count - 1].suppressions.append(suppression)
    }

    /// Enters a last line that ends within a record.
    mutating func addTornEnd() {
        add(.torn)
        sources[sources.count - 1].endsTorn = true
    }

    private mutating func add(_ record: NumberedRecord) {
        var account = runs.removeValue(forKey: record.run) ?? RunAccount(at: record.time)
        let times = account.times
        account.times =
            min(times.lowerBound, record.time)...max(times.upperBound, record.time)
        if record.isOwn {
            if record.isReport { account.reports.insert(record) }
        } else {
            enter(record, in: &account)
        }
        runs[record.run] = account
    }

    private mutating func enter(_ record: NumberedRecord, in account: inout RunAccount) {
        let level = Int(record.level.rawValue)
        let sequences = account.sequences ?? record.sequence...record.sequence
        account.sequences =
            min(sequences.lowerBound, record.sequence)...max(sequences.upperBound, record.sequence)
        let key = RecentFingerprints.Key(
            run: record.run,
            level: record.level,
            number: record.levelSequence
        )
        guard !account.levels[level].insert(record.levelSequence) else {
            account.firstRecords.add(.init(record))
            account.lastRecords.add(.init(record))
            return recent.add(record.fingerprint, for: key)
        }
        switch recent[key] {
        case record.fingerprint: account.levels[level].repeated += 1
        case nil: account.levels[level].uncompared += 1
        default: account.levels[level].contradict(record.levelSequence)
        }
    }

    /// Draws the conclusions.
    ///
    /// - Parameter isComplete: Whether the log is to hold each run from its beginning to its end.
    ///   Otherwise the first number of a level that it holds is where it begins, as what was before may
    ///   be rotated away, and at both ends records may have been on their way.
    /// - Returns: What there is to say of each run, in the order in which they began.
    package func findings(isComplete: Bool) -> [RunFinding] {
        runs.map { run, account in
            RunFinding(
                run: run,
                times: account.times,
                sequences: account.sequences,
                levels: Self.levels(of: account, isComplete: isComplete)
            )
        }
        .sorted {
            ($0.times.lowerBound, $0.run.identity) < ($1.times.lowerBound, $1.run.identity)
        }
    }

    private static func levels(of account: RunAccount, isComplete: Bool) -> [LevelFinding] {
        let spans = zip(Level.allCases, account.levels).map { level, numbers in
            LevelSpan(
                of: level,
                numbers.numbers,
                lost: account.reports.compactMap { $0.lost[level] },
                diverted: account.reports.compactMap { $0.diverted[level] },
                excluded: account.reports.compactMap { $0.excluded[level] },
                isComplete: isComplete
            )
        }
        let isPart = !isComplete && spans.contains { $0.beginsLate }
        var beginning = LogBeginning(isPart ? account.firstRecords.sorted : [])
        var ending = LogEnding(isComplete ? [] : account.lastRecords.sorted)
        return zip(account.levels, spans).compactMap {
            LevelFinding(of: $0, $1, beginning: &beginning, ending: &ending)
        }
    }
}

/// What there is to say of one run.
package struct RunFinding: Sendable, Hashable {
    package let run: NumberedRecord.Run
    /// The times of its first and its last record, in microseconds since 1970.
    package let times: ClosedRange<UInt64>
    /// Their numbers among all of the run; nil where it has left nothing but reports.
    package let sequences: ClosedRange<UInt64>?
    /// The levels of which there is anything, the most severe first.
    package let levels: [LevelFinding]
}
