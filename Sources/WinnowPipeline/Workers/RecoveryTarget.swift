// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// A sink that gets what another process has left.
///
/// These records are in no account of this process: who delivers them keeps each until the sink has it. MT-Safe.
package struct RecoveryTarget: Sendable {
    /// What became of a record.
    package enum Outcome: Sendable {
        /// The sink has it, or what takes its place.
        case taken
        /// The sink will never take it.
        case refused
        /// The sink takes nothing now.
        case mustWait
    }

    /// Records of a level that were lost in the other process, and of which no sink was told.
    package struct Loss: Sendable {
        fileprivate let loss: RingLoss

        /// - Parameters:
        ///   - count: How many there are.
        ///   - level: The level.
        ///   - numbers: Numbers among which theirs are.
        ///   - levelNumbers: Numbers among the records of the level, among which theirs are.
        ///   - times: When the first and the last were logged, in nanoseconds since 1970.
        package init(
            _ count: UInt64,
            of level: Level,
            numbers: ClosedRange<UInt64>,
            levelNumbers: ClosedRange<UInt64>,
            times: ClosedRange<UInt64>
        ) {
            loss = RingLoss(
                level: level,
                count: count,
                numbers: numbers,
                levelNumbers: levelNumbers,
                times: times
            )
        }
    }

    private let route: SinkRoute
    private let privacy: PrivacyPolicy

    /// Those of the configuration in use.
    package static var all: [RecoveryTarget] {
        guard let plan = RoutingPlan.current else { return [] }
        return plan.routes.map { RecoveryTarget(route: $0, privacy: plan.privacy) }
    }

    /// The name of the sink.
    package var name: String { route.name }

    /// The levels that it gets.
    package var levels: LevelSet { route.levels }

    /// Delivers a record of another process.
    ///
    /// Not from within a sink. One of the program's own is called by its own thread, as it may not return.
    ///
    /// - Parameter lend: Lends the record; it may still be called when this has returned.
    /// - Returns: What became of it.
    package func deliver(
        _ lend: @escaping @Sendable ((EncodedRecord) -> Void) -> Void
    ) -> Outcome {
        let privacy = privacy
        return call { route in
            var outcome = Outcome.mustWait
            unsafe lend { encoded in
                var content = RecordContent()
                unsafe RecordDecoder.decode(encoded.arguments, policy: privacy, into: &content)
                let header = unsafe encoded.header.pointee
                Record.withRecord(header: header, content: content) {
                    outcome = route.deliverRecovered($0)
                }
            }
            return outcome
        }
    }

    /// Reports losses of another process.
    ///
    /// - Parameters:
    ///   - losses: What was lost, at least one.
    ///   - process: The process and the identity of its run.
    /// - Returns: What became of the report.
    package func report(_ losses: [Loss], of process: (id: Int32, run: UInt32)) -> Outcome {
        var report = LossReport()
        for loss in losses { report.add(loss.loss) }
        let (text, fields) = (report.text, report.fields + [Field("recovered", .bool(true))])
        return call { route in
            var outcome = Outcome.mustWait
            unsafe OwnRecord.withRecord(text, level: .warning, fields: fields, of: process) {
                record,
                _ in
                outcome = route.deliverRecovered(record)
            }
            return outcome
        }
    }

    private func call(_ body: @escaping @Sendable (SinkRoute) -> Outcome) -> Outcome {
        let outcome = Guarded(Outcome.mustWait)
        let deadline = cwinnow_clock_monotonic() + Bounds.End.sinks
        _ = Distribution.callSinks(of: [route], until: deadline) { route in
            let found = body(route)
            outcome.withLock { $0 = found }
            return found != .mustWait
        }
        return outcome.withLock { $0 }
    }
}

extension SinkRoute {
    /// Delivers a record of another process, on a thread that may wait for the sink.
    fileprivate func deliverRecovered(_ record: borrowing Record) -> RecoveryTarget.Outcome {
        guard !account.isBacklogged, slot.lock.acquire(within: Self.sharedPatience) else {
            return .mustWait
        }
        defer { slot.lock.release() }
        return switch deliver(record) {
        case .delivered, .diverted: .taken
        case .lost(.rejected): .refused
        case .lost, .mustWait: .mustWait
        }
    }
}
