// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// A regular expression of `WINNOW_REDIRECT`.
package enum RedirectExpression {
    /// The longest expression in bytes: the parser of expressions uses the stack for each group.
    private static let longest = 1_024

    /// Returns the rule of an expression, which compares Unicode scalars.
    static func rule(
        for pattern: Substring,
        _ action: RedirectAction,
        in entry: Substring
    ) throws(FilterProblem) -> RedirectRule {
        guard !pattern.isEmpty else {
            throw FilterProblem(entry: entry, reason: "an expression is missing", at: entry)
        }
        guard pattern.utf8.count <= longest else {
            let reason = "an expression has at most \(longest) bytes"
            throw FilterProblem(entry: entry, reason: reason, at: pattern)
        }
        let literal = requiredLiteral(of: pattern)
        do {
            // Scalars, as characters that only look alike would match without the literal's bytes.
            let regex = try Regex(String(pattern)).matchingSemantics(.unicodeScalar)
            if literal.isEmpty { return .matchesSlowly(regex, action) }
            return .matches(regex, requiring: literal, action)
        } catch {
            // What the message repeats of the expression may be anything.
            let message = quoted("\(error)").dropFirst().dropLast()
            let reason = "invalid regular expression: \(message)"
            throw FilterProblem(entry: entry, reason: reason, at: pattern)
        }
    }

    /// Returns the text with which each match of an expression begins; empty where none is sure.
    ///
    /// It is what stands in front of the first character with a meaning, in ASCII.
    package static func requiredLiteral(of pattern: Substring) -> String {
        guard !mayHaveAlternatives(pattern) else { return "" }
        var literal: [UInt8] = []
        var rest = pattern.utf8
        if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
        while let byte = rest.first, 0x20..<0x7F ~= byte {
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.dropFirst().first, isPunctuation(escaped) else { break }
                literal.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                guard !#"^$.|?*+()[]{}"#.utf8.contains(byte) else { break }
                literal.append(byte)
                rest = rest.dropFirst()
            }
        }
        // What follows may make the last one optional, or be one character with it.
        if let next = rest.first, "?*{".utf8.contains(next) || next >= 0x80 {
            _ = literal.popLast()
        }
        return String(decoding: literal, as: UTF8.self)
    }

    /// Whether the expression is one of several, or too hard to say.
    private static func mayHaveAlternatives(_ pattern: Substring) -> Bool {
        var rest = pattern.utf8
        guard rest.contains(UInt8(ascii: "|")) else { return false }
        var depth = 0
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped != UInt8(ascii: "Q") else {
                    return true
                }
            case UInt8(ascii: "["):
                return true
            case UInt8(ascii: "("):
                depth += 1
                guard rest.first != UInt8(ascii: "?") || rest.dropFirst().first == UInt8(ascii: ":")
                else { return true }
            case UInt8(ascii: ")"):
                depth -= 1
            case UInt8(ascii: "|") where depth == 0:
                return true
            default:
                break
            }
        }
        return false
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
