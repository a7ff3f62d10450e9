// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A time in which a sink took nothing, and what the other routes were told of it.
package struct Standstill {
    /// How long a failure must have lasted to be told, in nanoseconds, and how long it may take a
    /// receiver that is only busy to get a processor.
    static let notable: UInt64 = 1_000_000_000
    static let notableWhileBusy: UInt64 = 5_000_000_000
    /// The least time between two announcements, in nanoseconds, so that a sink that comes and goes does
    /// not fill the other logs.
    static let pause: UInt64 = 60_000_000_000

    /// When it began, on CLOCK_MONOTONIC.
    package let begin: UInt64
    /// The records that the route had lost before.
    let lostBefore: UInt64
    /// Why the sink took nothing at the last attempt.
    var error: SinkError
    /// Whether it was announced on the other routes, and whether any of them took the announcement.
    var isTold = false
    var isHeard = false

    /// Notes that a sink has begun to take nothing, on CLOCK_MONOTONIC.
    package init(begin: UInt64, lostBefore: UInt64, error: SinkError) {
        self.begin = begin
        self.lostBefore = lostBefore
        self.error = error
    }

    /// How long it has lasted, in nanoseconds; none where it began after the clock was read.
    package func duration(at now: UInt64) -> UInt64 {
        now > begin ? now - begin : 0
    }

    /// Whether it has lasted long enough to be told.
    package func isNotable(at now: UInt64) -> Bool {
        duration(at: now) >= (error.code == .busy ? Self.notableWhileBusy : Self.notable)
    }
}

/// Detects a sink that does not return, and so never reports an error: none of the records that wait for
/// it is settled.
package struct WaitWatch {
    /// How many records were settled, and since when on CLOCK_MONOTONIC none was while others wait; nil
    /// before the first look.
    private var mark: (settled: UInt64, since: UInt64)?

    package init() {}

    /// Looks at the sink when a record is put to those that wait.
    ///
    /// - Parameters:
    ///   - isFirst: Whether no other waits.
    ///   - settled: How many that waited were settled so far.
    ///   - now: The time on CLOCK_MONOTONIC.
    /// - Returns: Since when it stands still, where that is long enough to be told; else nil.
    package mutating func look(isFirst: Bool, settled: UInt64, at now: UInt64) -> UInt64? {
        guard !isFirst, let mark, mark.settled == settled, mark.since <= now else {
            mark = (settled, now)
            return nil
        }
        return now - mark.since >= Standstill.notableWhileBusy ? mark.since : nil
    }
}

/// What is to be said of a route on the others.
enum RouteNews {
    /// Its sink takes no records, for so many nanoseconds.
    case standstill(Standstill, UInt64)
    /// It takes records again, and how many were lost meanwhile.
    case recovery(UInt64, lost: UInt64)

    /// Returns the news of a sink of that name in words, and its error in those of `explain`.
    func text(of name: String, explain: (SinkError) -> String) -> String {
        switch self {
        case .standstill(let standstill, let time):
            let reason = explain(standstill.error)
            return "\(name) has taken no records for \(Self.seconds(time)) s: \(reason)"
        case .recovery(let time, let lost):
            let losses =
                switch lost {
                case 0: "none of its records is lost"
                case 1: "1 of its records is lost"
                default: "\(lost) of its records are lost"
                }
            return "\(name) takes records again, for \(Self.seconds(time)) s it did not; \(losses)"
        }
    }

    /// A time in seconds, with one decimal.
    static func seconds(_ nanoseconds: UInt64) -> String {
        let tenths = nanoseconds / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
