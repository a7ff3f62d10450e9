// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A wait for room among the records that wait for a sink, and when it is given up.
struct RoomWait {
    private enum Kind {
        case ofCaller
        case ofWorker
        case none
    }

    /// The wait of a log call.
    static var ofCaller: RoomWait { RoomWait(kind: .ofCaller) }
    /// The wait of the worker of deferred delivery, for which the callers wait in turn: only for a sink that takes
    /// records steadily, as all others wait with it.
    static var ofWorker: RoomWait { RoomWait(kind: .ofWorker) }
    /// No wait: of a thread that has other sinks to serve, and nothing to hold callers back with.
    static var none: RoomWait { RoomWait(kind: .none) }

    /// How many records a sink must have taken during a wait in vain not to be slow: other threads were
    /// quicker to take the room.
    private static let steadyCount: UInt64 = 2000

    private let kind: Kind
    /// When the wait began, and how many records were settled by then.
    private var start: (time: UInt64, settled: UInt64)?
    /// How many are settled, and since when it is so many.
    private var last: (time: UInt64, settled: UInt64) = (0, .max)

    private init(kind: Kind) {
        self.kind = kind
    }

    /// Whether the thread must not wait, or not any longer; of a caller, enters that for all others.
    mutating func isOver(on entries: inout RouteAccount.Entries) -> Bool {
        let now = cwinnow_clock_monotonic()
        let start = start ?? (now, entries.settled)
        self.start = start
        switch kind {
        case .none: return true
        case .ofWorker:
            return !entries.health.isSteady
                || now - start.time >= SinkHealth.patienceOfWorker
                || RingTurn.isTakenByEnd
        case .ofCaller:
            if last.settled != entries.settled { last = (now, entries.settled) }
            if now - last.time >= Bounds.Caller.stuck { entries.health.isStuck = true }
            let isInVain = now - start.time >= Bounds.Caller.room
            if isInVain, entries.settled - start.settled < Self.steadyCount {
                entries.health.noWaitUntil = now + Bounds.Caller.afterVain
            }
            return entries.health.isStuck || isInVain || now < entries.health.noWaitUntil
        }
    }
}
