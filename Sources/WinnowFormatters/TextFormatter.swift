// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Writes a record as one line for people.
///
/// ```
/// 2026-11-21T09:30:15.123456Z notice  [net] listening on example.org:80 backlog=128 path="a b"
/// ```
/// The time; the level, padded to the width of `warning`; the category, where there is one; the
/// message; the fields that do not stand in the message; where it is asked for, the place in the
/// source.
///
/// A record is one line that ends with a line feed, whatever its bytes: what is harmful in the
/// message is written as ``Escaping/line`` says, in a field as ``Escaping/quotes`` does. Text that
/// looks like a field can stand in a message; a program that must tell them apart reads
/// ``JSONFormatter``'s or ``LogfmtFormatter``'s lines.
public struct TextFormatter: Formatter {
    /// The clock that the time of a record is shown by.
    ///
    /// This is a closed set.
    @frozen
    public enum Time: Sendable, Hashable {
        /// Universal time: `2026-11-21T09:30:15.123456Z`.
        case utc
        /// The time zone of the system: `2026-11-21T10:30:15.123456+01:00`.
        case local
        /// No time, where the destination adds its own.
        case none
    }

    /// The clock that the time is shown by.
    public var time: Time
    /// Whether a terminal's commands colour the level and dim the time and the fields' names.
    public var color: Bool
    /// Whether a line begins with `<3>`, the level for a stream that ends in the journal.
    ///
    /// The journal adds the time, so it is left out. journald cuts lines at its `LineMax`, 48 KiB
    /// unless configured, and looks for a level behind the cut, where a long message could forge
    /// one: what is longer than 40 KiB goes on in a line of its own, with the level in front.
    ///
    /// Source: sd-daemon(3), `SD_ERR`; journald.conf(5), `LineMax`.
    public var levelPrefix: Bool
    /// Whether a line ends with the file and the line of the call: `(Server/Main.swift:42)`.
    public var location: Bool

    /// Creates a formatter; without arguments, one for a file.
    ///
    /// - Parameters:
    ///   - time: The clock that the time is shown by.
    ///   - color: Whether to use a terminal's commands; the formatter does not ask whether there
    ///     is a terminal.
    ///   - levelPrefix: Whether to write for a stream that ends in the journal.
    ///   - location: Whether to show the place in the source.
    public init(
        time: Time = .utc,
        color: Bool = false,
        levelPrefix: Bool = false,
        location: Bool = false
    ) {
        self.time = time
        self.color = color
        self.levelPrefix = levelPrefix
        self.location = location
    }

    /// Appends the record as one line.
    ///
    /// Any thread may call it; with ``Time/local`` not from a signal handler.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        let start = buffer.count
        if levelPrefix {
            buffer.append(prefix: record.level)
        } else if time != .none {
            appendTime(record.timestamp, to: &buffer)
        }
        appendLevel(record.level, to: &buffer)
        buffer.append(UInt8(ascii: " "))
        appendCategoryAndMessage(of: record, to: &buffer)
        FieldText(hasDimNames: color).appendFieldsBesideMessage(of: record, to: &buffer)
        if location { appendLocation(of: record, to: &buffer) }
        buffer.append(UInt8(ascii: "\n"))
        if levelPrefix, buffer.count - start > ByteBuffer.longestJournalLine {
            buffer.breakLine(from: start, level: record.level)
        }
    }

    private func appendTime(_ timestamp: UInt64, to buffer: inout ByteBuffer) {
        if color { buffer.append(TerminalStyle.dim) }
        buffer.append(
            rfc3339: time == .local ? CivilTime(local: timestamp) : CivilTime(timestamp)
        )
        if color { buffer.append(TerminalStyle.reset) }
        buffer.append(UInt8(ascii: " "))
    }

    private func appendLevel(_ level: Level, to buffer: inout ByteBuffer) {
        let name = level.name
        if color, let style = TerminalStyle.of(level) {
            buffer.append(style)
            buffer.append(name)
            buffer.append(TerminalStyle.reset)
        } else {
            buffer.append(name)
        }
        // `critical` and `emergency` are longer, and stand out by it.
        buffer.append(repeating: UInt8(ascii: " "), count: 7 - name.utf8CodeUnitCount)
    }

    private func appendLocation(of record: borrowing Record, to buffer: inout ByteBuffer) {
        let line = record.header.line
        record.withLocation { file, _, _ in
            buffer.append(" (")
            buffer.append(file, escaping: .line)
            buffer.append(UInt8(ascii: ":"))
            buffer.append(decimal: UInt64(line))
            buffer.append(UInt8(ascii: ")"))
        }
    }
}

/// Appends the message, and before it the category in brackets where there is one.
func appendCategoryAndMessage(of record: borrowing Record, to buffer: inout ByteBuffer) {
    record.withCategory { category in
        guard !category.isEmpty else { return }
        buffer.append(UInt8(ascii: "["))
        buffer.append(category, escaping: .line)
        buffer.append("] ")
    }
    record.appendMessage(to: &buffer, escaping: .line)
}
