// SPDX-License-Identifier: Apache-2.0

/// Looks whether a text is JSON as `JSONWriter` writes it: one value without space around it.
///
/// Source: RFC 8259.
struct JSONCheck {
    /// How deep lists may lie in one another: deeper than the writer's, and less than fills a stack.
    private static let greatestDepth = 100

    private var rest: ArraySlice<UInt8>

    /// Whether a text, which is UTF-8, is one value and nothing else.
    static func isValue(_ text: [UInt8]) -> Bool {
        var check = JSONCheck(rest: text[...])
        return check.takeValue(depth: 0) && check.rest.isEmpty
    }

    private mutating func takeValue(depth: Int) -> Bool {
        guard depth < Self.greatestDepth else { return false }
        if take("[") { return takeList(endingWith: "]", depth, isObject: false) }
        if take("{") { return takeList(endingWith: "}", depth, isObject: true) }
        if rest.first == UInt8(ascii: "\"") { return takeText() }
        return take("true") || take("false") || take("null") || takeNumber()
    }

    private mutating func takeList(
        endingWith end: StaticString,
        _ depth: Int,
        isObject: Bool
    ) -> Bool {
        if take(end) { return true }
        repeat {
            if isObject { guard takeText(), take(":") else { return false } }
            guard takeValue(depth: depth + 1) else { return false }
        } while take(",")
        return take(end)
    }

    private mutating func takeText() -> Bool {
        guard take("\"") else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard takeEscape() else { return false }
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    /// Takes what follows a backslash.
    private mutating func takeEscape() -> Bool {
        guard let byte = rest.popFirst() else { return false }
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return digits.count == 4
            && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private mutating func takeNumber() -> Bool {
        _ = take("-")
        if !take("0") { guard takeDigits() else { return false } }
        if take(".") { guard takeDigits() else { return false } }
        guard take("e") || take("E") else { return true }
        _ = take("+") || take("-")
        return takeDigits()
    }

    private mutating func takeDigits() -> Bool {
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    /// Takes a text if it comes next.
    private mutating func take(_ text: StaticString) -> Bool {
        let isNext = text.withUTF8Buffer { unsafe rest.starts(with: $0) }
        if isNext { rest = rest.dropFirst(text.utf8CodeUnitCount) }
        return isNext
    }
}
