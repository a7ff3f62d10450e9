// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowPipeline

extension RecoveredDelivery {
    /// How long it is waited for sinks that take nothing before they are tried again, in nanoseconds.
    private static let pause: UInt64 = 100_000_000

    /// Delivers to each sink what it has not got yet, until all have all, or none has taken anything for so long.
    ///
    /// - Parameters:
    ///   - targets: The sinks.
    ///   - patience: How long, in nanoseconds.
    /// - Returns: Whether all have all; else the others are in ``waiting``.
    package mutating func run(to targets: [RecoveryTarget], patience: UInt64) -> Bool {
        var last = cwinnow_clock_monotonic()
        var progress = progress(of: targets)
        while !run(to: targets) {
            let now = cwinnow_clock_monotonic()
            let present = self.progress(of: targets)
            if present != progress { (last, progress) = (now, present) }
            guard now &- last < patience else { return false }
            cwinnow_thread_pause(Self.pause)
        }
        return true
    }
}
