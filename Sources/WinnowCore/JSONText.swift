// SPDX-License-Identifier: Apache-2.0

/// A value as JSON text: an array, an object, or a number with more digits than a `Double` or 64 bits
/// keep.
///
/// `JSONFormatter` writes it as it is, and every other format as a text. Only Winnow makes one, by
/// ``FieldValue/init(describing:)``, so it is always valid JSON in one line.
///
/// A value: MT-Safe, AS-Unsafe heap.
///
/// Source: RFC 8259.
public struct JSONText: Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public let description: String

    /// Takes a text that is known to be JSON.
    package init(valid text: String) {
        description = text
    }

    /// Takes the digits of a number; nil where JSON has no such number.
    ///
    /// Source: RFC 8259, section 6.
    init?(number digits: String) {
        var rest = digits.utf8[...]
        rest.skip("-")
        let isZero = rest.first == UInt8(ascii: "0")
        guard case let whole = rest.skipDigits(), whole == 1 || whole > 1 && !isZero else {
            return nil
        }
        if rest.skip(".") { guard rest.skipDigits() > 0 else { return nil } }
        if rest.skip("eE") {
            rest.skip("+-")
            guard rest.skipDigits() > 0 else { return nil }
        }
        guard rest.isEmpty else { return nil }
        description = digits
    }
}

extension Substring.UTF8View {
    /// Leaves out the first character if it is one of the given ones; returns whether it is.
    @discardableResult
    fileprivate mutating func skip(_ characters: StaticString) -> Bool {
        guard let first, characters.withUTF8Buffer({ unsafe $0.contains(first) }) else {
            return false
        }
        removeFirst()
        return true
    }

    /// Leaves out the digits that the text begins with; returns how many they are.
    fileprivate mutating func skipDigits() -> Int {
        let count = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        removeFirst(count)
        return count
    }
}
