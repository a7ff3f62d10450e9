// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// The accounts of the sinks of a process, as it has copied them into the control page.
package struct ControlAccounts: Sendable {
    /// The account of a sink.
    package struct Sink: Sendable, Hashable {
        /// The name, and why it takes no records now, cut to what has room; nil where it takes records.
        package let name: String
        package let failure: String?
        /// The levels of which it takes records.
        package let levels: LevelSet
        package let accepted: UInt64
        package let delivered: UInt64
        package let queued: UInt64
        package let lost: UInt64
    }

    /// Why the process could not carry out an order.
    struct Failure: Sendable {
        /// The order's place in the page, and its number there.
        let slot: Int
        let number: UInt32
        /// What went wrong, cut to what has room.
        let text: String
    }

    /// When they were as they are here, in nanoseconds since 1970.
    package let time: UInt64
    /// The records that the process had accepted.
    package let accepted: UInt64
    /// The sinks in their order.
    package let sinks: [Sink]
    /// Of the last order that the process could not carry out; nil where it could all.
    let failure: Failure?

    /// Reads them from a page, again where the process writes them meanwhile; nil where it never has.
    init?(_ source: some ByteSource) throws(InspectionProblem) {
        let bytes = try source.settledBytes(
            at: UInt64(cwinnow_control_accounts_offset),
            count: UInt64(MemoryLayout<cwinnow_control_accounts>.size),
            of: "the accounts of the control page"
        )
        time = bytes.number(\cwinnow_control_accounts.time)
        guard time > 0 else { return nil }
        accepted = bytes.number(\cwinnow_control_accounts.accepted)
        failure = Failure(bytes)
        let count: UInt32 = bytes.number(\cwinnow_control_accounts.sink_count)
        let start = MemoryLayout<cwinnow_control_accounts>.offset(of: \.sinks) ?? 0
        let stride = MemoryLayout<cwinnow_control_sink>.stride
        sinks = (0..<Int(min(count, UInt32(cwinnow_control_sink_capacity)))).map { index in
            Sink(Array(bytes[(start + index * stride)...].prefix(stride)))
        }
    }
}

extension ControlAccounts.Failure {
    fileprivate init?(_ bytes: [UInt8]) {
        slot = Int(bytes.number(\cwinnow_control_accounts.failure.slot) as UInt32)
        number = bytes.number(\cwinnow_control_accounts.failure.number)
        guard number > 0 else { return nil }
        text = bytes.text(
            \cwinnow_control_accounts.failure.text,
            count: bytes.number(\cwinnow_control_accounts.failure.length)
        )
    }
}

extension ControlAccounts.Sink {
    fileprivate init(_ bytes: [UInt8]) {
        name = bytes.text(
            \cwinnow_control_sink.name,
            count: bytes.number(\cwinnow_control_sink.name_length)
        )
        let length: UInt32 = bytes.number(\cwinnow_control_sink.failure_length)
        failure =
            length == 0 ? nil : bytes.text(\cwinnow_control_sink.failure, count: length)
        let levels: UInt32 = bytes.number(\cwinnow_control_sink.levels)
        self.levels = LevelSet(rawValue: UInt8(truncatingIfNeeded: levels))
        accepted = bytes.number(\cwinnow_control_sink.accepted)
        delivered = bytes.number(\cwinnow_control_sink.delivered)
        queued = bytes.number(\cwinnow_control_sink.queued)
        lost = bytes.number(\cwinnow_control_sink.lost)
    }
}
