// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Levels that others have set, for a time or for good: they stand above those of the program's filter.
struct Turn: Sendable {
    let filter: Filter
    let author: Author
    /// When it ends, on CLOCK_BOOTTIME; nil for never.
    let end: UInt64?
    /// When it ends, in nanoseconds since 1970; nil for never.
    let realtimeEnd: UInt64?

    /// The levels of an order, which began when it was given: its clocks may be those of another namespace.
    ///
    /// - Parameters:
    ///   - filter: What is let through.
    ///   - author: Who has given it.
    ///   - given: When, in nanoseconds since 1970.
    ///   - duration: For how many nanoseconds; the greatest is for ever.
    init(_ filter: Filter, by author: Author, given: UInt64, for duration: UInt64) {
        self.filter = filter
        self.author = author
        guard duration < .max else {
            (end, realtimeEnd) = (nil, nil)
            return
        }
        // In this order: what is said to be the end is not before it.
        let begin = cwinnow_clock_boottime()
        let now = cwinnow_clock_realtime()
        let age = now > given ? now - given : 0
        let left = duration > age ? duration - age : 0
        end = Self.sum(begin, left)
        realtimeEnd = Self.sum(now - age, duration)
    }

    /// The sum, or the greatest time that is not for ever.
    private static func sum(_ time: UInt64, _ duration: UInt64) -> UInt64 {
        min(time.addingReportingOverflow(duration).overflow ? .max : time + duration, .max - 1)
    }

    /// Whether it has ended.
    var isOver: Bool { end.map { cwinnow_clock_boottime() >= $0 } ?? false }

    /// The filter as it is written: without a default where it has none.
    var text: String { filter.ownText }

    /// When it ends: `2026-11-27T11:09:27.131906Z`.
    var endText: String? { realtimeEnd.map(Self.text(of:)) }

    private static func text(of time: UInt64) -> String {
        let seconds = Int(time / 1_000_000_000) + CivilDate.secondsBefore1970
        let date = CivilDate(days: seconds / 86_400)
        let clock = [seconds % 86_400 / 3_600, seconds % 3_600 / 60, seconds % 60]
        let day = [date.month, date.day].map(twoDigits).joined(separator: "-")
        let hours = clock.map(twoDigits).joined(separator: ":")
        return "\(date.year)-\(day)T\(hours).\(String(time / 1_000).suffix(6))Z"
    }

    private static func twoDigits(_ number: Int) -> String { "\(number / 10)\(number % 10)" }
}
