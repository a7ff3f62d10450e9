// SPDX-License-Identifier: Apache-2.0

/// A value of JSON that keeps what other parsers forget: the order of members, members of one name,
/// and the digits of numbers.
///
/// Source: RFC 8259.
indirect enum ParsedJSON {
    case object([(name: [UInt8], value: ParsedJSON)])
    case array([ParsedJSON])
    case string([UInt8])
    case number(String)
    case bool(Bool)
    case null

    /// Parses a text, whole.
    init(_ text: [UInt8]) throws {
        var parser = JSONParser(rest: text[...])
        self = try parser.value()
        try require(parser.rest.isEmpty, "more than one value")
    }

    /// The members of an object; nil for any other value.
    var members: [(name: [UInt8], value: ParsedJSON)]? {
        if case .object(let members) = self { members } else { nil }
    }
}

/// A parser without tolerance: no blanks, as a line of the log has none.
private struct JSONParser {
    var rest: ArraySlice<UInt8>

    mutating func value() throws -> ParsedJSON {
        switch rest.first {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func literal(_ word: String, _ value: ParsedJSON) throws -> ParsedJSON {
        try require(rest.starts(with: word.utf8), "no value")
        rest = rest.dropFirst(word.utf8.count)
        return value
    }

    private mutating func take(_ byte: UInt8) throws {
        try require(rest.first == byte, "no \(Character(Unicode.Scalar(byte)))")
        rest = rest.dropFirst()
    }

    private mutating func members() throws -> [(name: [UInt8], value: ParsedJSON)] {
        var members: [(name: [UInt8], value: ParsedJSON)] = []
        try take(UInt8(ascii: "{"))
        repeat {
            if !members.isEmpty { try take(UInt8(ascii: ",")) }
            let name = try string()
            try take(UInt8(ascii: ":"))
            members.append((name, try value()))
        } while rest.first != UInt8(ascii: "}")
        try take(UInt8(ascii: "}"))
        return members
    }

    /// Reads a number: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`.
    private mutating func number() throws -> String {
        let whole = rest
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let count = try digits()
        try require(!startsWithZero || count == 1, "a number with a zero in front")
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            _ = try digits()
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest = rest.dropFirst()
            }
            _ = try digits()
        }
        return String(decoding: whole[..<rest.startIndex], as: UTF8.self)
    }

    /// Reads digits, and returns how many.
    private mutating func digits() throws -> Int {
        let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        try require(!digits.isEmpty, "no number")
        rest = rest.dropFirst(digits.count)
        return digits.count
    }

    private mutating func string() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try take(UInt8(ascii: "\""))
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            try require(byte >= 0x20, "a control character in a string")
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let escape = rest.popFirst() ?? 0
            if let meant = simpleEscape(escape) {
                bytes.append(meant)
                continue
            }
            try require(escape == UInt8(ascii: "u"), "no escape")
            let digits = String(decoding: rest.prefix(4), as: UTF8.self)
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
            try require(digits.utf8.count == 4 && scalar != nil, "no escape: \(digits)")
            rest = rest.dropFirst(4)
            bytes += Array(String(scalar ?? "\0").utf8)
        }
        return bytes
    }
}

/// Returns what the character behind a backslash stands for; nil where it is no short escape.
private func simpleEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
}

extension ParsedJSON {
    /// Parses a string in quotes at the beginning of bytes, and removes it.
    static func takeString(from bytes: inout ArraySlice<UInt8>) throws -> [UInt8] {
        var parser = JSONParser(rest: bytes)
        guard case .string(let text) = try parser.value() else { throw FuzzFailure("no string") }
        bytes = parser.rest
        return text
    }
}
