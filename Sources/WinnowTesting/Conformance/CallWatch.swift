// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowPipeline

/// Looks on while a check calls a sink, and tells a call that does not return.
final class CallWatch: @unchecked Sendable {
    // SAFETY: every access to the state holds the lock.
    private let lock = Lock(.unranked)
    private var call: (name: String, start: UInt64)?
    private var outcome: ConformanceReport.Outcome?

    /// How often the clock is looked at.
    private static let lookNanoseconds: UInt64 = 20_000_000

    /// Notes the call for as long as it lasts.
    func during<Result>(_ name: String, _ body: () -> Result) -> Result {
        lock.withLock { call = (name, cwinnow_clock_monotonic()) }
        defer { lock.withLock { call = nil } }
        return body()
    }

    /// Ends the check.
    func end(with outcome: ConformanceReport.Outcome) {
        lock.withLock {
            self.outcome = outcome
            lock.wake()
        }
    }

    /// Waits for the end of the check, or for a call that takes longer than the limit.
    func awaitOutcome(callLimit: Duration) -> ConformanceReport.Outcome {
        lock.withLock {
            while true {
                if let outcome { return outcome }
                if let call, cwinnow_clock_monotonic() - call.start > callLimit.nanosecondsClamped {
                    return .failed(["\(call.name) has not returned after \(callLimit)"])
                }
                lock.wait(Self.lookNanoseconds)
            }
        }
    }
}
