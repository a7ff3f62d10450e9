// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What became of the lines that rules were asked about.
final class LineTally: Sendable {
    /// A count that any thread may read.
    struct Count: ~Copyable, Sendable {
        private let value = Atomic<UInt64>(0)

        var count: UInt64 { value.load(ordering: .acquiring) }

        func add() {
            value.add(1, ordering: .releasing)
        }

        func reset() {
            value.store(0, ordering: .relaxed)
        }
    }

    let taken = Count()
    let logged = Count()
    let passed = Count()
    let dropped = Count()
    /// Those that were to pass, and could not be written.
    let unprinted = Count()

    func reset() {
        taken.reset()
        logged.reset()
        passed.reset()
        dropped.reset()
        unprinted.reset()
    }
}
