// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// An operation that is being measured.
@usableFromInline
struct Interval {
    private static let count = Atomic<UInt64>(0)

    private let log: Log
    private let level: Level
    private let name: LogMessage
    private let file: StaticString
    private let function: StaticString
    private let line: UInt32
    private let number: UInt64
    private var start: UInt64 = 0

    /// Logs the beginning.
    @usableFromInline
    init(
        _ log: Log,
        _ level: Level,
        _ name: LogMessage,
        _ file: StaticString,
        _ function: StaticString,
        _ line: UInt32
    ) {
        self.log = log.limited(to: 0)
        self.level = level
        self.name = name
        self.file = file
        self.function = function
        self.line = line
        number = Self.count.add(1, ordering: .relaxed).newValue
        write("\(name): begin", [], error: nil)
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
        let statement = Statement(log: log, level: level.literal)
        guard let call = statement.open(file, function, line, 0, floor: Statement.unnoted) else {
            return
        }
        var text = message
        statement.adopt(&text, for: call)
        text.encoder.append(error: error, errno: nil, messageID: nil)
        text.encoder.appendFields([Field("interval", .unsigned(number))] + fields)
        statement.close(&text)
    }
}
