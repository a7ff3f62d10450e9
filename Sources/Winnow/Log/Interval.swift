// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline

/// An operation that is being measured.
@usableFromInline
struct Interval {
    private static let count = Atomic<UInt64>(0)

    private let log: Log
    private let name: LogMessage
    private let file: StaticString
    private let function: StaticString
    private let place: StatementPlace
    private let number: UInt64
    private var start: UInt64 = 0

    /// Logs the beginning, with how many a rate limit has held back since the last one.
    @usableFromInline
    init(
        _ log: Log,
        _ name: LogMessage,
        _ file: StaticString,
        _ function: StaticString,
        _ place: StatementPlace
    ) {
        // The limit has let both records through.
        self.log = log.limited(to: 0)
        self.name = name
        self.file = file
        self.function = function
        self.place = place
        number = Self.count.add(1, ordering: .relaxed).newValue
        if log.limit == 0 {
            write("\(name): begin", [], error: nil)
        } else {
            let site = LimitedSite.ofInterval(EncodedLiteral(file), place)
            site.tellSuppressed(at: place.level) { count in
                let fields = count == 0 ? [] : [Field("suppressed", .unsigned(count))]
                write("\(name): begin", fields, error: nil)
            }
        }
        // Behind the record, whose cost is not the operation's.
        start = cwinnow_clock_monotonic()
    }

    /// Logs the end, with the duration.
    @usableFromInline
    func end(error: (any Error)?) {
        let milliseconds = Double(cwinnow_clock_monotonic() - start) / 1_000_000
        let rounded = (milliseconds * 1_000).rounded() / 1_000
        write(
            "\(name): \(error == nil ? "end" : "failed") after \(rounded) ms",
            [Field("duration_ms", .double(rounded))],
            error: error
        )
    }

    /// Logs a record of the interval, which the floor of the client's module has let through.
    private func write(_ message: LogMessage, _ fields: [Field], error: (any Error)?) {
        let statement = Statement(log: log, level: place.level)
        guard let call = statement.open(file, function, place.line, 0, floor: Statement.unnoted)
        else {
            return
        }
        var text = message
        statement.adopt(&text, for: call)
        text.encoder.append(error: error, errno: nil, messageID: nil)
        text.encoder.appendFields([Field("interval", .unsigned(number))] + fields)
        statement.close(&text)
    }
}
