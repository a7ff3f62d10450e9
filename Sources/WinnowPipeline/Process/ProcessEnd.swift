// SPDX-License-Identifier: Apache-2.0

/// How a process comes to its end, or near it: what decides which steps are taken, and how long may be waited for
/// others.
package enum ProcessEnd: Sendable {
    /// By exit(3), or by a return from `main`, which waits for whoever reads the streams of stdio.
    case exit
    /// By exit(3) as well, before its handlers end what some sinks need: others run between this and the end, and
    /// may log.
    case early
    /// By a signal, or by _exit(2): within a deadline.
    case killed
    /// By a fault, unless a handler of the program's own mends it: then the process goes on.
    case mendable

    /// The steps on the way there, in their order, behind what ``EndWalk/gather(for:)`` does for all.
    package var steps: [EndStep] {
        switch self {
        case .exit: [.deliver, .gate, .awaitCalls, .deliverLate, .close, .part]
        case .early: [.deliver, .part]
        case .killed: [.deliver, .gate, .awaitCalls, .deliverLate, .close]
        case .mendable: [.deliverForNow]
        }
    }
}

/// A step on the way to the end of the process.
package enum EndStep {
    /// The sinks take what waits.
    case deliver
    /// The sinks take what waits, but the process may go on.
    case deliverForNow
    /// No other thread gets a number for a record for a while.
    case gate
    /// The calls whose records have a number bring them to the sinks.
    case awaitCalls
    /// The sinks take what has come meanwhile, in what is left of their time or a little more.
    case deliverLate
    /// What has a number and is not settled is lost, and that is said.
    case close
    /// The sinks take leave of their destinations.
    case part

    /// How long it may take, in nanoseconds.
    package var time: UInt64 {
        switch self {
        case .deliver: Bounds.End.sinks - Bounds.End.report
        case .deliverForNow: Bounds.End.sinks
        case .gate: 0
        case .awaitCalls: Bounds.End.callsOfBusyMachine
        case .deliverLate: Bounds.End.lateRecords
        case .close: Bounds.End.report
        case .part: Bounds.sink
        }
    }
}
