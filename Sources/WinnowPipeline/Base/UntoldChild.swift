// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A child of _Fork or clone(2) that nobody told of its fork, and whose parent records.
enum UntoldChild {
    /// Gives such a child accounts and memory of its own: see `Lifecycle`.
    // SAFETY: set once, before there is a log.
    nonisolated(unsafe) static var adopt: (@Sendable () -> Void)?

    /// Adopts this process if it is such a child, before it writes to what is its parent's.
    @inline(__always)
    static func adoptIfNeeded() {
        if cwinnow_delivery_is_parents() { unsafe adopt?() }
    }
}
