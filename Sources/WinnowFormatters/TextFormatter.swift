// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
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
    /// Whether a terminal's commands color the level and dim the time and the fields' names.
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
    /// MT-Safe, AS-Safe.
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
    /// Any thread may call it, but not a signal handler: the buffer may grow, and ``Time/local`` takes
    /// a lock.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        guard !levelPrefix, !color, !location, time != .none,
            let column = unsafe record.header.category.column
        else { return formatTheLongWay(record, into: &buffer) }
        record.withMessageSpan { message in
            // There is room for all of it, where it is harmless.
            let room = Self.headByteCount &+ Self.columnByteCount &+ message.count &+ 1
            var line = unsafe buffer.cursor(withRoomFor: room)
            unsafe line.put(
                rfc3339: record.timestamp,
                isLocal: time == .local,
                second: &buffer.second
            )
            unsafe line.put(UInt8(ascii: " "))
            unsafe line.put(column: record.level)
            unsafe line.put(column: column)
            let harmless = unsafe line.put(harmlessOf: message, escaping: .line)
            guard harmless == message.count, record.fieldCount == 0 else {
                unsafe buffer.setEnd(line)
                return finish(record, from: harmless, in: &buffer)
            }
            unsafe line.put(UInt8(ascii: "\n"))
            unsafe buffer.setEnd(line)
        }
    }

    /// Appends the message from where it may do harm, and the fields, and ends the line.
    @inline(never)
    private func finish(
        _ record: borrowing Record,
        from harmless: Int,
        in buffer: inout ByteBuffer
    ) {
        record.withMessageSpan { message in
            if harmless < message.count {
                buffer.appendRest(of: message, from: harmless, escaping: .line)
            }
        }
        if record.fieldCount > 0 {
            FieldText().appendFieldsBesideMessage(of: record, to: &buffer)
        }
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Appends the line with what few destinations want: colors, a prefix, the place, no time; or with
    /// the name of a category that is long or harmful.
    @inline(never)
    private func formatTheLongWay(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        let start = buffer.count
        var head = unsafe buffer.cursor(withRoomFor: Self.headByteCount)
        if levelPrefix {
            unsafe head.put(prefix: record.level)
        } else if time != .none {
            unsafe put(record.timestamp, at: &head, second: &buffer.second)
        }
        if !color { unsafe head.put(column: record.level) }
        unsafe buffer.setEnd(head)
        if color { Self.appendInColor(record.level, to: &buffer) }
        appendCategoryAndMessage(of: record, to: &buffer)
        if record.fieldCount > 0 {
            FieldText(hasDimNames: color).appendFieldsBesideMessage(of: record, to: &buffer)
        }
        if location { appendLocation(of: record, to: &buffer) }
        buffer.append(UInt8(ascii: "\n"))
        if levelPrefix, buffer.count - start > ByteBuffer.longestJournalLine {
            buffer.breakLine(from: start, level: record.level)
        }
    }

    /// The room for the time and the level, the terminal's commands around the time among them.
    private static let headByteCount = 64

    /// The room for the column of a category.
    fileprivate static let columnByteCount = Int(CWINNOW_SHORT_TEXT)

    @inline(__always)
    func put(_ timestamp: UInt64, at head: inout ByteCursor, second: inout SecondText) {
        if color { unsafe head.put(TerminalStyle.dim) }
        unsafe head.put(rfc3339: timestamp, isLocal: time == .local, second: &second)
        if color { unsafe head.put(TerminalStyle.reset) }
        unsafe head.put(UInt8(ascii: " "))
    }

    @inline(never)
    private static func appendInColor(_ level: Level, to buffer: inout ByteBuffer) {
        guard let style = TerminalStyle.of(level) else {
            var cursor = unsafe buffer.cursor(withRoomFor: headByteCount)
            unsafe cursor.put(column: level)
            return unsafe buffer.setEnd(cursor)
        }
        let name = level.name
        buffer.append(style)
        buffer.append(name)
        buffer.append(TerminalStyle.reset)
        buffer.append(repeating: UInt8(ascii: " "), count: max(7 - name.utf8CodeUnitCount, 0) + 1)
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

extension ByteCursor {
    /// Writes the column of a category; takes room for ``TextFormatter/columnByteCount``.
    @inline(__always)
    mutating func put(column: UnsafeBufferPointer<UInt8>) {
        guard let bytes = column.baseAddress else { return }
        let target = unsafe position.assumingMemoryBound(to: UInt8.self)
        // SAFETY: a column is no longer than what is copied so, and there is room for it.
        unsafe cwinnow_cursor_copy_short(target, bytes, column.count)
        unsafe skip(column.count)
    }

    /// Writes the name of a level, padded to the width of `warning`, and a space; takes room for 16.
    @inline(__always)
    mutating func put(column level: Level) {
        let word =
            switch level {
            case .emergency: unsafe Self.word("emergenc")
            case .alert: unsafe Self.word("alert   ")
            case .critical: unsafe Self.word("critical")
            case .error: unsafe Self.word("error   ")
            case .warning: unsafe Self.word("warning ")
            case .notice: unsafe Self.word("notice  ")
            case .info: unsafe Self.word("info    ")
            case .debug: unsafe Self.word("debug   ")
            }
        unsafe put(word: word)
        // Two are longer, and stand out by it.
        guard word &>> 56 != UInt64(UInt8(ascii: " ")) else { return }
        unsafe put(level == .critical ? " " : "y " as StaticString)
    }

    /// A text of eight bytes as a word, which the compiler knows.
    @inline(__always)
    private static func word(_ text: StaticString) -> UInt64 {
        // SAFETY: the text has as many bytes.
        UInt64(littleEndian: unsafe UnsafeRawPointer(text.utf8Start).loadUnaligned(as: UInt64.self))
    }
}

/// Appends the message, and before it the category in brackets where there is one.
@inline(__always)
func appendCategoryAndMessage(of record: borrowing Record, to buffer: inout ByteBuffer) {
    record.withCategory { category in
        record.withMessageSpan { message in
            // There is room for all of it, where it is harmless.
            var cursor = unsafe buffer.cursor(withRoomFor: category.count + message.count + 3)
            if !category.isEmpty {
                unsafe cursor.put(UInt8(ascii: "["))
                let harmless = unsafe cursor.put(harmlessOf: category, escaping: .line)
                if harmless < category.count {
                    unsafe buffer.setEnd(cursor)
                    buffer.appendRest(of: category, from: harmless, escaping: .line)
                    unsafe cursor = unsafe buffer.cursor(withRoomFor: message.count + 2)
                }
                unsafe cursor.put("] ")
            }
            let harmless = unsafe cursor.put(harmlessOf: message, escaping: .line)
            unsafe buffer.setEnd(cursor)
            if harmless < message.count {
                buffer.appendRest(of: message, from: harmless, escaping: .line)
            }
        }
    }
}
