// SPDX-License-Identifier: Apache-2.0

extension LogStore {
    /// Where in the journal to begin.
    ///
    /// Times are those at which the journal received an entry. That is the clock by which it is
    /// sorted; an entry's own ``Entry/timestamp`` may be a little earlier.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Position: Sendable, Hashable {
        enum Anchor: Sendable, Hashable {
            case start, boot, end
            case since(UInt64)
            case last(Duration)
            case latest(Int)
            case cursor(String)
            case after(String)
        }

        let anchor: Anchor

        /// The oldest entry that there is.
        public static let start = Position(anchor: .start)

        /// The first entry since this machine has started: `journalctl --boot`.
        ///
        /// Entries of other boots are left out, also where the clock was wrong.
        public static let boot = Position(anchor: .boot)

        /// Behind the last entry that there is when the reading begins.
        public static let end = Position(anchor: .end)

        /// The first entry from a point in time on, in nanoseconds since 1970.
        ///
        /// It is rounded up to a microsecond, which is what the journal counts in.
        public static func since(_ timestamp: UInt64) -> Position {
            Position(anchor: .since(timestamp))
        }

        /// The first entry that is not older than that when the reading begins.
        public static func last(_ duration: Duration) -> Position {
            Position(anchor: .last(duration))
        }

        /// The last entries that match, so many of them: `journalctl --lines`.
        public static func latest(_ count: Int) -> Position {
            Position(anchor: .latest(count))
        }

        /// The entry with a cursor; where it is gone or does not match, the nearest behind it.
        ///
        /// Cursors are those of ``Entry/cursor`` and of `journalctl --show-cursor`.
        public static func cursor(_ cursor: String) -> Position {
            Position(anchor: .cursor(cursor))
        }

        /// Behind the entry with a cursor: where an earlier reading ended.
        public static func after(cursor: String) -> Position {
            Position(anchor: .after(cursor))
        }
    }
}
