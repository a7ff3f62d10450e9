// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Writes a record as one line whose form is a pattern.
///
/// ```swift
/// let formatter = try PatternFormatter("{time:lcl} {level:<7} {[category] }{message}{ fields}")
/// ```
/// ```
/// Nov 21 10:30:15 notice  [net] listening on example.org:80 backlog=128
/// ```
/// A name in braces stands for a value of the record, as the table says; all else stands for
/// itself, and `{{` and `}}` for braces. Behind the name options may follow, each after a colon.
/// The names and the options may be in any case.
///
/// | Name | Value |
/// |---|---|
/// | `time` | the time, in RFC 3339; `time:utc.3` and others as below |
/// | `level` | `warning`; `level:upper` `WARNING`, `level:letter` `W`, `level:number` `4` |
/// | `category` | the category; empty for the static methods of `Log` |
/// | `message` | the message |
/// | `fields` | the fields that do not stand in the message, as ``TextFormatter`` writes them; `fields:all` those too |
/// | `field:NAME` | the value of the first field of the name; empty where there is none |
/// | `identifier` | the name of the program |
/// | `process`, `thread` | their numbers |
/// | `run` | the number of this run of the program, in hexadecimal digits |
/// | `sequence`, `level_sequence` | the number of the record, and that among those of its level |
/// | `location` | `Server/Main.swift:42` |
/// | `file`, `line`, `function`, `module` | where the call stands, each by itself |
///
/// Letters are syslog(1)'s of macOS: `P`, `A`, `C`, `E`, `W`, `N`, `I`, `D`, the first for `panic`,
/// which is `emergency`.
///
/// Punctuation and blanks within the braces, around the name and its options, are written only
/// where the value is not empty: `{[category] }` is `[net] ` or nothing. A colon right behind them
/// is doubled: `{category:: }`.
///
/// `quoted` writes `category`, `message`, `field:NAME`, `identifier`, `file`, `function` and
/// `module` in double quotes always, as ``Escaping/quotes`` says.
///
/// `<9` fills a value up to nine columns with spaces behind it, `>9` with spaces before it; `.9`
/// cuts what is longer than nine, and `<9.9` does both. What is cut ends with `…`, but for a level,
/// and in double quotes with `…"`, which needs three columns. A column is a Unicode scalar; a width
/// is at most 1 000.
///
/// | Time | Example |
/// |---|---|
/// | `rfc3339`, and without an option | `2026-11-21T09:30:15.123456Z` |
/// | `rfc3339-local` | `2026-11-21T10:30:15.123456+01:00` |
/// | `sec` or `raw` | `1795253415` |
/// | `utc` or `zulu` | `2026-11-21 09:30:15Z` |
/// | `lcl` or `local` | `Nov 21 10:30:15` |
///
/// Behind each of them a point and a digit from 0 to 9 say how many digits the second's fraction
/// has: `rfc3339.3` for milliseconds, `rfc3339.9` for nanoseconds, `sec.6`. More are cut off. The
/// last three are the Apple System Log's.
///
/// Whatever the pattern, a record is one line that ends with a line feed, and nothing in a record
/// can split it: texts are written as ``Escaping/line`` says, the values of `fields` as
/// ``Escaping/quotes`` does. A pattern holds no line feed and no other control character but tabs.
/// Text that looks like another part of the pattern can stand in a message; a program that must
/// tell them apart reads ``JSONFormatter``'s lines.
///
/// Source: RFC 3339, section 5.6; asl(3) and syslog(1) of macOS, for the times.
public struct PatternFormatter: Formatter, Hashable {
    /// The pattern that makes the lines of ``TextFormatter``.
    public static let textPattern = "{time} {level:<7} {[category] }{message}{ fields}"

    /// The pattern.
    public let pattern: String
    /// What `identifier` stands for.
    public var identifier: String
    /// Whether a terminal's commands color the level and dim the time and the fields' names.
    ///
    /// Fields that have a width stay as they are.
    public var color: Bool

    private let items: [PatternItem]
    /// The bytes of all texts in the pattern.
    private let text: [UInt8]

    /// Creates a formatter of a pattern, which is read once, here.
    ///
    /// Any thread may call it, but not a signal handler: it allocates.
    ///
    /// - Parameters:
    ///   - pattern: The pattern.
    ///   - identifier: What `identifier` stands for.
    ///   - color: Whether to use a terminal's commands; the formatter does not ask whether there
    ///     is a terminal.
    /// - Throws: ``PatternError`` for a name or an option that there is not, for a brace that
    ///   stands alone, for a character that may not stand in a line, and for an empty pattern.
    public init(
        _ pattern: String,
        identifier: String = "",
        color: Bool = false
    ) throws(PatternError) {
        let parser = try PatternParser(pattern)
        self.pattern = pattern
        self.identifier = identifier
        self.color = color
        items = parser.items
        text = parser.text
    }

    /// Creates a formatter of a pattern for all records of a log.
    ///
    /// - Parameter pattern: The pattern.
    /// - Returns: The formatter.
    /// - Throws: ``PatternError`` as above, and for a pattern without `message`: no line would tell what
    ///   was logged, a report of losses among them.
    package static func withMessage(_ pattern: String) throws(PatternError) -> PatternFormatter {
        let formatter = try PatternFormatter(pattern)
        guard formatter.items.contains(where: { $0.name == .message }) else {
            let names = formatter.items.contains { $0.name != nil } ? "" : "; names stand in braces"
            throw PatternError("no '{message}' in the pattern\(names)", at: pattern[...])
        }
        return formatter
    }

    /// Appends the record as one line.
    ///
    /// Any thread may call it, but not a signal handler: nothing is allocated but what the buffer
    /// grows by, but it may grow, and a local time takes a lock.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        for item in items {
            if let name = item.name {
                append(name, item, of: record, to: &buffer)
            } else {
                append(item.before, to: &buffer)
            }
        }
        buffer.append(UInt8(ascii: "\n"))
    }

    private func append(_ range: Range<Int>, to buffer: inout ByteBuffer) {
        buffer.append(text.span.extracting(range))
    }

    private func append(
        _ name: PatternName,
        _ item: PatternItem,
        of record: borrowing Record,
        to buffer: inout ByteBuffer
    ) {
        let start = buffer.count
        append(item.before, to: &buffer)
        let column = buffer.count
        let style = color ? name.style(of: record.level) : nil
        if let style { buffer.append(style) }
        let value = buffer.count
        appendValue(name, item, of: record, to: &buffer)
        if buffer.count == value, item.isOptional {
            buffer.truncate(to: start)
            return
        }
        var columns = 0
        if !item.width.isNone {
            columns = item.width.cut(
                from: value,
                in: &buffer,
                isMarked: name != .level,
                isQuoted: item.isQuoted
            )
        }
        if style != nil { buffer.append(TerminalStyle.reset) }
        item.width.pad(from: column, columns: columns, in: &buffer)
        append(item.after, to: &buffer)
    }

    private func appendValue(
        _ name: PatternName,
        _ item: PatternItem,
        of record: borrowing Record,
        to buffer: inout ByteBuffer
    ) {
        switch name {
        case .time: buffer.append(record.timestamp, as: item.time)
        case .level: buffer.append(item.level.text(of: record.level))
        case .category:
            record.withCategory { if item.shows($0) { buffer.append($0, as: item.escaping) } }
        case .message: record.withMessageSpan { buffer.append($0, as: item.escaping) }
        case .fields:
            FieldText(hasDimNames: color && item.width.isNone)
                .appendFields(of: record, hasAll: item.hasAllFields, to: &buffer)
        case .field: appendField(item, of: record, to: &buffer)
        case .identifier:
            let text = identifier.utf8.span
            if item.shows(text) { buffer.append(text, as: item.escaping) }
        case .process: buffer.append(decimal: Int64(record.processID))
        case .thread: buffer.append(decimal: Int64(record.threadID))
        case .run: buffer.append(hexadecimal: record.run)
        case .sequence: buffer.append(decimal: record.sequence)
        case .levelSequence: buffer.append(decimal: record.levelSequence)
        case .location, .file, .line, .function, .module:
            appendLocation(name, item, of: record, to: &buffer)
        }
    }

    private func appendField(
        _ item: PatternItem,
        of record: borrowing Record,
        to buffer: inout ByteBuffer
    ) {
        let wanted = text.span.extracting(item.fieldName)
        var isFound = false
        record.forEachFieldSpan { name, value, text, _ in
            guard !isFound, areEqual(name, wanted) else { return }
            isFound = true
            if item.escaping == .json {
                JSONFormatter().appendValue(value, text: text, to: &buffer)
                return
            }
            switch value {
            case .text, .json: buffer.append(text, as: item.escaping)
            default: FieldText().appendValue(value, text: text, to: &buffer)
            }
        }
        if !isFound, item.showsEmpty { buffer.append("null") }
    }

    private func appendLocation(
        _ name: PatternName,
        _ item: PatternItem,
        of record: borrowing Record,
        to buffer: inout ByteBuffer
    ) {
        let line = record.header.line
        record.withLocation { file, function, module in
            switch name {
            case .file: buffer.append(file, as: item.escaping)
            case .function: buffer.append(function, as: item.escaping)
            case .module: buffer.append(module, as: item.escaping)
            case .line: buffer.append(decimal: UInt64(line))
            default:
                buffer.append(file, as: .line)
                buffer.append(UInt8(ascii: ":"))
                buffer.append(decimal: UInt64(line))
            }
        }
    }
}

extension PatternName {
    /// The style of a value on a terminal; nil for none.
    fileprivate func style(of level: Level) -> StaticString? {
        switch self {
        case .time: TerminalStyle.dim
        case .level: TerminalStyle.of(level)
        default: nil
        }
    }
}

extension PatternItem {
    /// Whether a text is written, in quotes or not.
    fileprivate func shows(_ text: Span<UInt8>) -> Bool { !text.isEmpty || showsEmpty }
}

extension ByteBuffer {
    /// Appends a text of a record, which is empty where it has none.
    fileprivate mutating func append(_ text: Span<UInt8>, as escaping: Escaping) {
        guard escaping != .line else {
            append(text, escaping: .line)
            return
        }
        append(UInt8(ascii: "\""))
        append(text, escaping: escaping)
        append(UInt8(ascii: "\""))
    }
}

private func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    left.count == right.count && left.indices.allSatisfy { left[$0] == right[$0] }
}
