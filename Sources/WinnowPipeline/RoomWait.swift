// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A wait for room among the records that wait for a sink, and when it is given up.
struct RoomWait {
    /// The wait of a log call.
    static var ofCaller: RoomWait {
        RoomWait(patience: 500_000_000, stuckPatience: 250_000_000, steadyCount: 2_000)
    }
    /// That of the worker of deferred delivery, for which the callers wait in turn: as long as they may
    /// by the overflow policy.
    static var ofWorker: RoomWait {
        let patience = DeferredSettings.patience
        return RoomWait(
            patience: patience,
            stuckPatience: patience / 2,
            steadyCount: 200,
            isOfWorker: true
        )
    }
    /// That of a thread which has other sinks to serve, and nothing to hold callers back with.
    static var none: RoomWait {
        RoomWait(patience: 0, stuckPatience: .max, steadyCount: 0)
    }

    /// How long to wait at most, and how long if no record is settled meanwhile: then the sink is stuck, and
    /// nobody waits until it moves again.
    private let patience: UInt64
    private let stuckPatience: UInt64
    /// How long nobody waits after a wait in vain: a sink that is slower than the program must not make
    /// the program as slow.
    ///
    /// A sink that took at least `steadyCount` records meanwhile is not slow: other threads were quicker to
    /// take the room.
    private static let pause: UInt64 = 2_000_000_000
    /// How long it is at most when the process ends.
    private static let lastPatience: UInt64 = 50_000_000
    private let steadyCount: UInt64
    /// Whether the end of the process ends the wait.
    private let isOfWorker: Bool

    /// When the wait began, and how many records were settled by then.
    private var start: (time: UInt64, settled: UInt64)?
    /// How many are settled, and since when it is so many.
    private var last: (time: UInt64, settled: UInt64) = (0, .max)

    private init(
        patience: UInt64,
        stuckPatience: UInt64,
        steadyCount: UInt64,
        isOfWorker: Bool = false
    ) {
        self.patience = patience
        self.stuckPatience = stuckPatience
        self.steadyCount = steadyCount
        self.isOfWorker = isOfWorker
    }

    /// Whether the caller must not wait, or not any longer; enters that for all others.
    mutating func isOver(on entries: inout RouteAccount.Entries) -> Bool {
        let now = cwinnow_clock_monotonic()
        let start = start ?? (now, entries.settled)
        self.start = start
        if last.settled != entries.settled { last = (now, entries.settled) }
        // The other sinks have to get what lies in the rings before the process is gone.
        let isHurried = isOfWorker && Lifecycle.isEnding
        let patience = isHurried ? min(patience, Self.lastPatience) : patience
        let stuckPatience = isHurried ? min(stuckPatience, Self.lastPatience / 2) : stuckPatience
        if now - last.time >= stuckPatience { entries.isStuck = true }
        let isInVain = now - start.time >= patience
        if isInVain, entries.settled - start.settled < steadyCount {
            entries.noWaitUntil = now + Self.pause
        }
        return entries.isStuck || isInVain || now < entries.noWaitUntil
            || isOfWorker && DeferredWorker.isAbandoned
    }
}
