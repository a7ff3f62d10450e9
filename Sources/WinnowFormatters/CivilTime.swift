// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// A point in time as people write it: a date of the Gregorian calendar and a time of day.
package struct CivilTime: Equatable {
    /// The year, 1969 to 2554: more does not fit into a record's timestamp.
    package let year: Int
    /// The month, from 1.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int
    /// The hour, 0 to 23.
    package let hour: Int
    /// The minute, 0 to 59.
    package let minute: Int
    /// The second, 0 to 59: Unix time counts no leap seconds.
    package let second: Int
    /// The microsecond, cut off and not rounded.
    package let microsecond: Int
    /// The seconds east of UTC; nil for UTC itself.
    package let offset: Int?

    /// Breaks nanoseconds since 1970 down, in UTC or so many seconds east of it.
    package init(_ timestamp: UInt64, offset: Int? = nil) {
        // Unsigned, as a division by a constant takes half as many instructions then.
        let (utc, fraction) = timestamp.quotientAndRemainder(dividingBy: 1_000_000_000)
        let seconds = utc &+ UInt64(truncatingIfNeeded: (offset ?? 0) + CivilDate.secondsBefore1970)
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(days: Int(days))
        year = date.year
        month = date.month
        day = date.day
        let secondOfDay = UInt32(truncatingIfNeeded: rest)
        let minuteOfDay = secondOfDay / 60
        hour = Int(minuteOfDay / 60)
        minute = Int(minuteOfDay % 60)
        second = Int(secondOfDay % 60)
        microsecond = Int(UInt32(truncatingIfNeeded: fraction) / 1_000)
        self.offset = offset
    }

    /// Breaks nanoseconds since 1970 down in the local time zone.
    ///
    /// MT-Safe, AS-Unsafe: localtime_r(3) takes a lock.
    package init(local timestamp: UInt64) {
        self.init(timestamp, offset: localOffset(at: timestamp / 1_000_000_000))
    }
}

/// The second for which localtime_r(3) was asked last, and its answer, in one word.
///
/// The upper 44 bits are the second since 1970, the lower 20 the offset with `offsetBias` added, so
/// that no answer is zero. One word needs no lock, and records that share a second are many exactly
/// when the cost matters.
private let lastAnswer = Atomic<UInt64>(0)

/// The greatest offset, in seconds, is less.
private let offsetBias = 1 << 19

/// Returns the seconds that local time is east of UTC; 0 where the system cannot say, or says what no
/// zone is.
///
/// The C library takes the offset of a zone from its file as it stands there, years included. That of
/// RFC 3339, section 5.6, ends before a day, and all zones that ever were are within 16 hours.
private func localOffset(at second: UInt64) -> Int {
    let known = lastAnswer.load(ordering: .relaxed)
    if known &>> 20 == second, known != 0 { return Int(known & 0xF_FFFF) - offsetBias }
    var time = cwinnow_local_time()
    // SAFETY: the call fills the structure in and keeps no pointer.
    guard unsafe cwinnow_clock_local(Int64(second), &time) == 0 else { return 0 }
    let offset = -86_399...86_399 ~= Int(time.offset) ? Int(time.offset) : 0
    lastAnswer.store(second &<< 20 | UInt64(offset + offsetBias), ordering: .relaxed)
    return offset
}
