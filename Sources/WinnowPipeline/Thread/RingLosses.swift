// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The losses of the rings, on their way to the accounts.
enum RingLosses {
    /// Enters the losses of a ring that no account has yet, as records with numbers of their own; the worker
    /// calls it, or the end of the process in its place.
    ///
    /// - Parameters:
    ///   - ring: The ring.
    ///   - seen: The losses to enter, of all that the ring ever had.
    /// - Returns: Whether there were any.
    static func enter(from ring: UnsafeMutablePointer<cwinnow_ring>, upTo seen: LevelCounts) -> Bool
    {
        let told = LevelCounts { level in unsafe cwinnow_ring_told(ring, level.rawValue) }
        guard seen != told else { return false }
        let until = unsafe cwinnow_ring_lost_until(ring)
        let since = unsafe cwinnow_ring_take_lost_since(ring)
        let times = (since == 0 ? until : min(since, until))...until
        for level in Level.allCases where seen[level] > told[level] {
            enter(seen[level] - told[level], of: level, at: times)
            // Behind that: a process that is killed in between tells them twice rather than never.
            unsafe cwinnow_ring_set_told(ring, level.rawValue, seen[level])
        }
        return true
    }

    /// Enters all that it has lost: for the end of the process.
    static func enter(from ring: UnsafeMutablePointer<cwinnow_ring>) -> Bool {
        let lost = LevelCounts { level in unsafe cwinnow_ring_lost(ring, level.rawValue) }
        return unsafe enter(from: ring, upTo: lost)
    }

    private static func enter(_ count: UInt64, of level: Level, at times: ClosedRange<UInt64>) {
        // Without a route of the configuration they are filtered: see `Distribution.accept`.
        guard let known = unsafe RoutingPlan.unmanagedCurrent,
            unsafe known._withUnsafeGuaranteedRef({ $0.levels.contains(level) })
        else { return }
        let numbers = RecordNumbers.skip(count, of: level)
        // All belong to one, as they are given at once.
        let last = numbers.ofLevel.upperBound
        let owner = unsafe RoutingPlan.owner(of: level, last, knowing: known)
        let plan = unsafe owner.takeUnretainedValue()
        let loss = RingLoss(
            level: level,
            count: count,
            numbers: numbers.all,
            levelNumbers: numbers.ofLevel,
            times: times
        )
        for route in plan.routes where route.levels.contains(level) {
            route.lose(loss)
        }
    }
}
