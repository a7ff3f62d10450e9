// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Reads a pattern: text as it is, `{{` and `}}` for braces, and `{…}` for a value of the record.
struct PatternParser: ~Copyable {
    /// The parts, in order; no two texts follow each other.
    private(set) var items: [PatternItem] = []
    /// The bytes of all texts in the pattern, of which the parts hold ranges.
    private(set) var text: [UInt8] = []
    /// What is not read yet.
    private var rest: Substring

    /// Reads a pattern, whole.
    init(_ pattern: String) throws(PatternError) {
        rest = pattern[...]
        if pattern.isEmpty { throw PatternError("the pattern is empty", at: rest) }
        try checkCharacters()
        while let byte = rest.utf8.first {
            let isBrace = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
            if isBrace, rest.utf8.dropFirst().first == byte {
                appendText(rest.take(1))
                _ = rest.take(1)
            } else if byte == UInt8(ascii: "{") {
                try readItem()
            } else if byte == UInt8(ascii: "}") {
                throw PatternError("no '{' before this '}', which is written '}}'", at: rest)
            } else {
                let run = rest.utf8.prefix { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") }
                appendText(rest.take(run.count))
            }
        }
    }

    /// Refuses what would make two lines of a record, or a command of a terminal; a tab may stand.
    private func checkCharacters() throws(PatternError) {
        let scalars = rest.unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            guard scalar != "\t", UTF8Unit.isHarmful(scalar.value) else { continue }
            let number = String(scalar.value, radix: 16, uppercase: true)
            let name = "U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number)"
            throw PatternError(
                scalar == "\n"
                    ? "a line feed, which every record ends with anyway, and only ends with"
                    : "\(name), which does harm in a line",
                at: rest[index...]
            )
        }
    }

    private mutating func appendText(_ part: Substring) {
        let range = keep(part)
        if let last = items.last, last.name == nil {
            items[items.count - 1].before = last.before.lowerBound..<range.upperBound
        } else {
            items.append(PatternItem(before: range))
        }
    }

    /// Keeps a text for the formatter; returns where it lies.
    private mutating func keep(_ part: Substring) -> Range<Int> {
        let start = text.count
        text += part.utf8
        return start..<text.count
    }

    /// Reads what begins with a brace, up to the one that closes it.
    private mutating func readItem() throws(PatternError) {
        let opening = rest
        _ = rest.take(1)
        let inside = rest.utf8.prefix { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") }
        let body = rest.take(inside.count)
        guard let end = rest.utf8.first else {
            throw PatternError("no '}' behind this '{', which is written '{{'", at: opening)
        }
        guard end == UInt8(ascii: "}") else {
            throw PatternError("a '{' within braces", at: rest)
        }
        _ = rest.take(1)
        let reader = try PatternItemReader(body, opening: opening)
        var item = reader.item
        item.before = keep(reader.before)
        item.after = keep(reader.after)
        item.fieldName = keep(reader.fieldName)
        items.append(item)
    }
}

extension Substring {
    /// Removes so many bytes from the beginning, which must end between characters; returns them.
    mutating func take(_ count: Int) -> Substring {
        let end = utf8.index(startIndex, offsetBy: count)
        defer { self = self[end...] }
        return self[..<end]
    }
}
