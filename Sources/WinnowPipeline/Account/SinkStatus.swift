// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// The account of one route: `accepted == delivered + queued + lost`, always.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct SinkStatus: Sendable, Hashable {
    /// The name of the sink as in `WINNOW_SINKS`: `journald`, `file:/var/log/app.log`.
    public let name: String
    /// The records that the route took, as its levels let them through.
    public var accepted: UInt64 = 0
    /// The records that the sink, or its fallback, has delivered.
    public var delivered: UInt64 = 0
    /// How many of the delivered ones went to the fallback.
    public var diverted: UInt64 = 0
    /// The records that wait for the sink to take records again, or that are on their way to it.
    public var queued: UInt64 = 0
    /// The records that are lost, by cause and level.
    public var lost: [LossCause: LevelCounts] = [:]
    /// The most bytes that ever waited for the sink to take records again.
    public var queueHighWater = 0
    /// Why the sink takes no records now; nil while it takes them, or is only busy.
    public var failure: SinkError?

    /// Creates the account of a route that has taken nothing yet.
    public init(name: String) {
        self.name = name
    }

    /// The records that are lost, of all causes and levels.
    public var lostTotal: UInt64 {
        lost.values.reduce(0) { $0 + $1.total }
    }
}

extension SinkStatus: CustomStringConvertible {
    /// The account in one line.
    public var description: String {
        var text = "\(name): accepted \(accepted), delivered \(delivered)"
        if diverted > 0 { text += " (\(diverted) to the fallback)" }
        if queued > 0 { text += ", queued \(queued)" }
        text += ", lost \(lostTotal)"
        for cause in LossCause.allCases {
            if let counts = lost[cause] { text += "; \(cause.rawValue): \(counts)" }
        }
        if let failure { text += "; now \(failure)" }
        return text
    }
}
