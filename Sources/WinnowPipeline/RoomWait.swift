// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A wait for room among the records that wait for a sink, and when it is given up.
struct RoomWait {
    /// That of a caller.
    static var ofCaller: RoomWait {
        RoomWait(patience: 500_000_000, stuckPatience: 250_000_000, steadyCount: 2_000)
    }
    /// That of a worker which has other sinks to serve, whose records may find no room meanwhile.
    static var ofWorker: RoomWait {
        RoomWait(patience: 50_000_000, stuckPatience: 25_000_000, steadyCount: 200)
    }

    /// How long it is, and how long while no record is settled: then the sink is stuck, and nobody waits
    /// until it moves again.
    private let patience: UInt64
    private let stuckPatience: UInt64
    /// How long nobody waits after a wait in vain: a sink that is slower than the program must not make
    /// the program as slow.
    ///
    /// One that took so many records meanwhile is not slow: there other threads
    /// were quicker to take the room.
    private static let pause: UInt64 = 2_000_000_000
    private let steadyCount: UInt64

    /// When the wait began, and how many records were settled by then.
    private var start: (time: UInt64, settled: UInt64)?
    /// How many are settled, and since when it is so many.
    private var last: (time: UInt64, settled: UInt64) = (0, .max)

    private init(patience: UInt64, stuckPatience: UInt64, steadyCount: UInt64) {
        self.patience = patience
        self.stuckPatience = stuckPatience
        self.steadyCount = steadyCount
    }

    /// Whether the caller must not wait, or not any longer; says so on the page for all others.
    mutating func isOver(for header: RecordHeader, on page: inout Books.Page) -> Bool {
        let now = cwinnow_clock_monotonic()
        let start = start ?? (now, page.settled)
        self.start = start
        if last.settled != page.settled { last = (now, page.settled) }
        guard page.spill.canHold(header) else { return true }
        if now - last.time >= stuckPatience { page.isStuck = true }
        let isInVain = now - start.time >= patience
        if isInVain, page.settled - start.settled < steadyCount {
            page.noWaitUntil = now + Self.pause
        }
        return page.isStuck || isInVain || now < page.noWaitUntil
    }
}
