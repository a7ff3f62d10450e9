// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Turns the stamps of records in rings into the time.
///
/// What it knows is as old as the last ``synchronize()``, for which both clocks are read, so a clock
/// that is set, or that the time service speeds up, needs no notice. The rate of the counter comes
/// from CLOCK_MONOTONIC, which nobody sets, over the last second or two.
///
/// Source: hot-path study, "Traps found in Swift", the time stamp counter.
package struct StampClock {
    /// By how much a measurement of the rate may differ from one that has taken its time.
    ///
    /// No counter changes that much; but while the machine is suspended, CLOCK_MONOTONIC stands still and the
    /// counter may not, or the other way round.
    private static let soundDifference = 0.01

    /// The bound of times in nanoseconds, 146 years.
    private static let longestTime = 0x1p62

    private let isCounter: Bool
    private var now: cwinnow_moment
    /// What the rate is measured from, and what comes in its place when it is too old.
    private var base: cwinnow_moment
    private var nextBase: cwinnow_moment
    private var nanosecondsPerTick = 1.0
    /// Whether that was measured over ``Bounds/Clock/measurement``.
    private var isSound = false
    /// The last time that was given.
    private var latest: UInt64 = 0

    /// Begins to measure the rate of the counter; decides what stamps are, if none was taken yet.
    package init() {
        cwinnow_stamp_prepare()
        isCounter = cwinnow_stamp_counts()
        now = cwinnow_stamp_moment()
        base = now
        nextBase = now
    }

    /// Reads the clocks.
    mutating func synchronize() {
        guard isCounter else { return }
        synchronize(at: cwinnow_stamp_moment())
    }

    /// Shows the recorder what turns stamps into times.
    func show() {
        cwinnow_recorder_show_clock(now.stamp, now.realtime, nanosecondsPerTick)
    }

    private mutating func synchronize(at moment: cwinnow_moment) {
        now = moment
        // A machine that was suspended may have begun to count anew.
        if now.stamp < nextBase.stamp || now.monotonic < nextBase.monotonic {
            base = now
            nextBase = now
        }
        if now.monotonic - nextBase.monotonic > Bounds.Clock.base {
            base = nextBase
            nextBase = now
        }
        measure()
    }

    private mutating func measure() {
        guard now.stamp > base.stamp, now.monotonic > base.monotonic else { return }
        let time = now.monotonic - base.monotonic
        let measured = Double(time) / Double(now.stamp - base.stamp)
        let difference = (measured / nanosecondsPerTick - 1).magnitude
        guard !isSound || difference < Self.soundDifference else {
            // The machine was suspended meanwhile, or moved to another: it is measured anew from now on.
            base = now
            nextBase = now
            isSound = false
            return
        }
        nanosecondsPerTick = measured
        if time >= Bounds.Clock.measurement { isSound = true }
    }

    /// Returns the nanoseconds since 1970 of a stamp, which increase with it but where the clock is
    /// set back.
    @inline(__always)
    mutating func time(of stamp: UInt64) -> UInt64 {
        guard isCounter else { return stamp }
        // If the difference is no time of a running process, the counter has begun anew.
        let ticks = Int64(bitPattern: stamp &- now.stamp)
        let nanoseconds = Double(ticks) * nanosecondsPerTick
        let isTime = nanoseconds.magnitude < Self.longestTime
        let difference = isTime ? Int64(nanoseconds) : 0
        var time = now.realtime &+ UInt64(bitPattern: difference)
        if time < latest, latest - time < Bounds.Clock.error { time = latest }
        latest = time
        return time
    }

    /// Returns the stamp of a moment that is past, in nanoseconds since 1970; reads the clocks where
    /// they were last read before it, or only once.
    mutating func stamp(of time: UInt64) -> UInt64 {
        guard isCounter else { return time }
        // A clock that was set back since is before it, too; a line that has waited so long is as well.
        let isOld = time > now.realtime || now.realtime - time > Bounds.Clock.base
        if isOld || now.stamp == base.stamp { synchronize() }
        let nanoseconds = Int64(bitPattern: time &- now.realtime)
        let ticks = (Double(nanoseconds) / nanosecondsPerTick).rounded()
        guard ticks <= 0, ticks > -Double(now.stamp) else { return now.stamp }
        return now.stamp - UInt64(-ticks)
    }
}
