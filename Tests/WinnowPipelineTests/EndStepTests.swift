// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Testing
import WinnowPipeline

/// The steps to the ends of a process, and how long they may take.
struct EndStepTests {
    private static let ends: [ProcessEnd] = [.exit, .early, .killed, .mendable]

    @Test func `each end has the sinks take what waits, once, before anything else`() {
        for end in Self.ends {
            let deliveries = end.steps.count { $0 == .deliver || $0 == .deliverForNow }
            #expect(deliveries == 1, "\(end)")
            #expect([.deliver, .deliverForNow].contains(end.steps.first), "\(end)")
        }
    }

    @Test func `only what ends the process for certain counts the rest as lost, behind the gate`() {
        for end in Self.ends {
            let steps = end.steps
            let isLast = end == .exit || end == .killed
            #expect(steps.contains(.close) == isLast, "\(end)")
            #expect(steps.contains(.gate) == isLast, "\(end)")
            guard let gate = steps.firstIndex(of: .gate) else { continue }
            #expect(
                steps[gate...].contains(.awaitCalls) && steps[gate...].contains(.close),
                "\(end)"
            )
        }
    }

    /// "Two seconds" for the sinks, and a second more for calls where the machine is busy.
    @Test func `no end may take longer than the docs say`() {
        let second: UInt64 = 1_000_000_000
        for end in Self.ends {
            let time = end.steps.reduce(0) { $0 + $1.time }
            #expect(time <= 4 * second, "\(end)")
        }
        // The thread that a fault has stopped waits longer than that, and than the waits between the steps.
        let killed = ProcessEnd.killed.steps.reduce(0) { $0 + $1.time }
        #expect(killed + second / 2 < cwinnow_ending_patience())
        #expect(EndStep.deliver.time + EndStep.close.time == 2 * second)
        #expect(EndStep.deliverForNow.time == 2 * second)
    }
}
