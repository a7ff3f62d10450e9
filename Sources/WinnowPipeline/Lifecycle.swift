// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The end of the process, and its doubling by fork(2).
enum Lifecycle {
    /// How long the exit waits for sinks to take what waits for them.
    static let exitDeadline: UInt64 = 2_000_000_000

    /// Registers what runs at exit and around a fork, once.
    static func begin() {
        _ = registered
    }

    private static let registered: Bool = {
        _ = cwinnow_at_exit { atExit() }
        _ = cwinnow_at_fork({ beforeFork() }, { afterForkInParent() }, { afterForkInChild() })
        return true
    }()

    private static func atExit() {
        guard let topology = Pipeline.topology else { return }
        if Delivery.flush(topology, within: exitDeadline) { return }
        for route in topology.routes {
            route.abandon()
            if let untold = route.untold { lastWords("winnow: \(untold)\n") }
        }
    }

    /// Says on standard error what no sink could be told.
    private static func lastWords(_ text: String) {
        var text = text
        text.withUTF8 {
            _ = unsafe cwinnow_descriptor_write_pipe(2, $0.baseAddress, $0.count)
        }
    }

    /// The locks that a fork must hold, so that no other thread is inside what they guard.
    ///
    /// Lower ones are never waited for with a higher one held.
    private static var locks: [Lock] {
        let routes = Pipeline.topology?.routes ?? []
        return routes.map(\.books.lock) + [RetryWorker.lock, Categories.lock]
    }

    private static func beforeFork() {
        locks.forEach { $0.acquire() }
    }

    private static func afterForkInParent() {
        locks.reversed().forEach { $0.release() }
    }

    private static func afterForkInChild() {
        locks.forEach { $0.reset() }
        RetryWorker.forgetParent()
        Pipeline.forgetParent()
    }
}
