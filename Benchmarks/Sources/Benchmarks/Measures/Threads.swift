// SPDX-License-Identifier: Apache-2.0

import CMeter
import Foundation
import Synchronization

/// Threads that begin together.
final class Threads: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()
    private let processorNanoseconds = Atomic<UInt64>(0)
    private let count: Int

    /// Starts threads that wait for `begin`, and then run the body, each with its number.
    init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        self.count = count
        for number in 0..<count {
            ended.enter()
            Thread.detachNewThread { [self] in
                gate.wait()
                let start = cmeter_clock(CLOCK_THREAD_CPUTIME_ID)
                body(number)
                let time = cmeter_clock(CLOCK_THREAD_CPUTIME_ID) - start
                processorNanoseconds.add(time, ordering: .relaxed)
                ended.leave()
            }
        }
    }

    func begin() {
        for _ in 0..<count { gate.signal() }
    }

    /// Waits for their ends; returns the seconds of processor time that their bodies took together.
    func join() -> Double {
        ended.wait()
        return Double(processorNanoseconds.load(ordering: .relaxed)) / 1e9
    }
}
