// SPDX-License-Identifier: Apache-2.0

/// A logger that is ready to be called, in a process of its own.
struct StartedLogger: Sendable {
    /// Makes so many calls, from the index `first` on.
    let log: @Sendable (_ first: Int, _ count: Int) -> Void
    /// Waits until the logger's queue is empty.
    var drain: @Sendable () -> Void = {}
    /// Returns when all that was logged has left the process.
    var finish: @Sendable () -> Void = {}
    /// The records that the logger says it has lost.
    var lost: @Sendable () -> UInt64 = { 0 }
}
