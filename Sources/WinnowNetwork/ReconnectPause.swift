// SPDX-License-Identifier: Apache-2.0

/// When a server that could not be reached is tried again: after a pause that doubles from 100 ms to
/// 10 s, of which a random half is left out, so that the clients of a server that comes back do not
/// all come at once.
package struct ReconnectPause {
    private static let shortest: UInt64 = 100_000_000
    private static let longest: UInt64 = 10_000_000_000
    /// How long a connection must have lasted to be worth another one at once.
    private static let worthwhile: UInt64 = 1_000_000_000

    private var next = Self.shortest
    private var end: UInt64 = 0

    /// Creates a pause that is over.
    package init() {}

    /// Whether the pause is over.
    package func isOver(at now: UInt64) -> Bool { now >= end }

    /// Begins a pause, on CLOCK_MONOTONIC.
    package mutating func begin(at now: UInt64) {
        end = now + UInt64.random(in: next / 2...next)
        next = min(next * 2, Self.longest)
    }

    /// Whether a connection that has lasted so long was worth another one at once.
    static func isWorthwhile(_ lifetime: UInt64) -> Bool { lifetime >= worthwhile }

    /// Begins a pause unless the connection that has ended was a good one.
    package mutating func begin(at now: UInt64, after lifetime: UInt64) {
        guard Self.isWorthwhile(lifetime) else { return begin(at: now) }
        self = ReconnectPause()
    }
}
