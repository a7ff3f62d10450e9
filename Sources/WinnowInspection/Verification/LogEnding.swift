// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Where a log ends, and which missing numbers may have been on their way then.
///
/// Here it is the missing records that were on their way, one of each thread at most, and it has
/// written nothing since. That a thread was suspended cannot be proved: a number is excused that lies
/// behind the last record of a thread which was logging there, soon or a few records behind it, where a
/// number of the run is missing, and not farther from the end than others overtake one.
struct LogEnding {
    /// A thread that may have one on its way.
    private struct Silence {
        /// The number of its last record, and the last that the next one may have.
        let start: UInt64
        let end: UInt64
    }

    private var silences: [Silence] = []
    /// The numbers in the run by those in the level.
    private let sequences: [Level: [UInt64: UInt64]]

    /// Finds where a log ends, from its last records in the order of their numbers.
    init(_ records: [EdgeRecords.Entry]) {
        let farthest = (records.last?.sequence ?? 0).less(OnTheWay.distance)
        let records = records.drop { $0.sequence < farthest }
        sequences = records.reduce(into: [:]) {
            $0[$1.level, default: [:]][$1.levelSequence] = $1.sequence
        }
        var threads: Set<Int64> = []
        for index in records.indices.reversed()
        where threads.insert(records[index].thread).inserted {
            let end = Self.end(ofSilenceFrom: index, in: records)
            let (start, last) = (records[index].sequence, records[end].sequence)
            guard last - start > end - index else { continue }
            silences.append(Silence(start: start, end: last))
            if silences.count == OnTheWay.threads { break }
        }
    }

    /// Returns the last record behind which the next one of a thread is believed to have been on
    /// its way.
    private static func end(
        ofSilenceFrom index: Int,
        in records: ArraySlice<EdgeRecords.Entry>
    ) -> Int {
        let near = min(index + OnTheWay.silence, records.endIndex - 1)
        let latest = records[index].time.adding(OnTheWay.suspension)
        let meanwhile = records[near...].dropFirst().prefix { $0.time <= latest }
        return near + meanwhile.count
    }

    /// Returns which missing numbers of a level may have been on their way, besides those that are
    /// excused already.
    mutating func excuse(_ span: LevelSpan, except early: Excuse, atMost limit: UInt64) -> Excuse {
        guard limit > 0, let sequences = sequences[span.level] else { return Excuse() }
        var excuse = Excuse()
        for hole in span.holes where !early.ranges.contains(hole) && excuse.count < limit {
            guard let end = sequences[hole.upperBound.adding(1)] else { continue }
            let start = sequences[hole.lowerBound.less(1)] ?? 0
            let most = min(hole.size.less(span.reported(within: hole)), limit - excuse.count)
            let count = self.excuse(most, behind: start, before: end)
            guard count > 0 else { continue }
            excuse.count += count
            excuse.ranges.append(hole)
        }
        return excuse
    }

    /// Returns how many of so many records between two numbers of the run may have been on their way.
    private mutating func excuse(
        _ count: UInt64,
        behind start: UInt64,
        before end: UInt64
    ) -> UInt64 {
        var excused: UInt64 = 0
        while excused < count,
            let index = silences.firstIndex(where: { $0.start < end && start < $0.end })
        {
            silences.remove(at: index)
            excused += 1
        }
        return excused
    }
}
