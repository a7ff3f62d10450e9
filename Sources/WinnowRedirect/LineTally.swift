// SPDX-License-Identifier: Apache-2.0

internal import CWinnowRedirect
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

        /// Takes back some that were counted.
        func subtract(_ number: UInt64) {
            value.subtract(number, ordering: .releasing)
        }

        func add(_ number: UInt64) {
            value.add(number, ordering: .releasing)
        }

        func reset() {
            value.store(0, ordering: .relaxed)
        }
    }

    let taken = Count()
    let logged = Count()
    let passed = Count()
    let dropped = Count()
    /// Those that were to be logged, and have nothing in them.
    let blank = Count()
    /// Those that equal one that was logged.
    let collapsed = Count()
    /// Those of them that no record has told yet.
    let untold = Count()
    /// Those that were to pass, and could not be written.
    let unprinted = Count()

    /// The lines that found no room in the queue.
    static var crowdedOut: UInt64 {
        PrintedStream.allCases.reduce(0) { $0 + cwinnow_lines_lost($1.rawValue) }
    }

    /// Enters the lines that were left to stdio, which could not write them.
    func noteFailed() {
        let failed = cwinnow_hooks_take_failed()
        guard failed > 0 else { return }
        passed.subtract(min(failed, passed.count))
        unprinted.add(failed)
    }

    func reset() {
        taken.reset()
        logged.reset()
        passed.reset()
        dropped.reset()
        blank.reset()
        collapsed.reset()
        untold.reset()
        unprinted.reset()
    }
}
