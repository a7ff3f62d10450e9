// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What turns the stamps of a process into times: see `StampClock`.
struct RecordedClock {
    private let isCounter: Bool
    private let stamp: UInt64
    private let realtime: UInt64
    private let nanosecondsPerTick: Double

    init(in file: RecordedFile) {
        typealias State = cwinnow_recorder_state
        let start = Int(cwinnow_recorder_state_offset)
        isCounter = file.bytes.number(\State.stamp_is_counter, at: start) != 0
        let count: UInt64 = file.bytes.number(\State.clock_count, at: start)
        let stride = MemoryLayout<cwinnow_recorder_clock>.stride
        let clock =
            start + (MemoryLayout<State>.offset(of: \.clock) ?? 0) + Int(count % 2) * stride
        stamp = file.bytes.number(\cwinnow_recorder_clock.stamp, at: clock)
        realtime = file.bytes.number(\cwinnow_recorder_clock.realtime, at: clock)
        let bits: UInt64 = file.bytes.integer(at: clock + 16)
        nanosecondsPerTick = Double(bitPattern: bits)
    }

    /// Returns the time of a stamp in nanoseconds since 1970.
    func time(of stamp: UInt64) -> UInt64 {
        guard isCounter else { return stamp }
        let ticks = Double(Int64(bitPattern: stamp &- self.stamp))
        let nanoseconds = ticks * nanosecondsPerTick
        guard nanoseconds.magnitude < 0x1p62 else { return realtime }
        return realtime &+ UInt64(bitPattern: Int64(nanoseconds))
    }
}
