// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Waits until a condition holds; one that does not for five minutes is an issue with the words for it.
///
/// Much less is enough for what is right, but not on a machine that is busy with other tests.
///
/// - Parameters:
///   - words: The words.
///   - pause: The time between two looks, in microseconds.
///   - condition: The condition.
/// - Returns: Whether it holds.
@discardableResult
func waitUntil(
    _ words: String,
    every pause: useconds_t = 50_000,
    _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(300)
    while true {
        // The condition is asked once more behind the deadline, as it may take long itself.
        let isLast = ContinuousClock.now >= deadline
        if try condition() { return true }
        if isLast {
            Issue.record("not so after 300 s: \(words)")
            return false
        }
        usleep(pause)
    }
}
