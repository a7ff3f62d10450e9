// SPDX-License-Identifier: Apache-2.0

/// When to ask the system again about something that may have changed: 100 ms after the last look.
///
/// Times are CLOCK_REALTIME, which a record that is delivered at once has with it. The clock may be behind
/// by 10 ms, and may be set: a look is also due if the time lies before that of the last look.
struct LookTime {
    /// The time between looks, and how much earlier than the last one a time is no sign of a clock that
    /// was set: together those 100 ms.
    private static let pause: UInt64 = 80_000_000
    private static let slack: UInt64 = 20_000_000

    /// The first of the times at which no look is due; far ahead where there was none.
    private var start: UInt64 = .max / 2

    @inline(__always)
    func isOver(at now: UInt64) -> Bool {
        // For an earlier time, the difference wraps around and is huge.
        now &- start >= Self.slack + Self.pause
    }

    /// Notes a look.
    mutating func begin(at now: UInt64) {
        start = now &- Self.slack
    }

    /// Has a look be due, whatever the time.
    mutating func end() {
        self = LookTime()
    }
}
