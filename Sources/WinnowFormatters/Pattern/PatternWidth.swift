// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The columns that a part of a pattern takes: `<12`, `>12`, `.12` or `<12.12`.
///
/// A column is a scalar, as a monospaced font shows most of them, and as in ``LogAlignment``.
struct PatternWidth: Hashable {
    /// The greatest width, as in ``LogAlignment``.
    static let greatest = 1_000
    /// The least that a value in double quotes is cut to: `"…"`.
    static let leastOfQuotes = 3

    /// Whether spaces precede the value.
    var isRight = false
    /// The columns that spaces fill up.
    var least = 0
    /// The columns behind which the value is cut.
    var most = Int.max

    /// Whether the value stands as it is.
    var isNone: Bool { least == 0 && most == Int.max }
}

extension PatternWidth {
    /// Creates the width of an option; nil where it is none.
    init?(parsing option: Substring) {
        var bytes = option.utf8
        let side = bytes.first
        if side == UInt8(ascii: "<") || side == UInt8(ascii: ">") {
            isRight = side == UInt8(ascii: ">")
            bytes = bytes.dropFirst()
            guard let least = PatternWidth.number(in: &bytes) else { return nil }
            self.least = least
        }
        if bytes.first == UInt8(ascii: ".") {
            bytes = bytes.dropFirst()
            guard let most = PatternWidth.number(in: &bytes) else { return nil }
            self.most = most
        }
        guard bytes.isEmpty, !isNone else { return nil }
    }

    /// Removes the digits at the beginning; nil where they are no width.
    private static func number(in bytes: inout Substring.UTF8View) -> Int? {
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        bytes = bytes.dropFirst(digits.count)
        guard let number = Int(Substring(digits)), 1...greatest ~= number else { return nil }
        return number
    }

    /// Cuts what begins at the offset and is too long; returns its columns.
    ///
    /// What begins with a quotation mark ends with one, too.
    ///
    /// - Parameters:
    ///   - start: The offset.
    ///   - buffer: The buffer that ends with the value.
    ///   - isMarked: Whether the last column that is left becomes `…`.
    ///   - isQuoted: Whether the value may stand in double quotes; at least
    ///     ``leastOfQuotes`` columns are left of it then.
    /// - Returns: The columns that the value has then.
    func cut(
        from start: Int,
        in buffer: inout ByteBuffer,
        isMarked: Bool,
        isQuoted: Bool
    ) -> Int {
        let hasQuotes =
            isQuoted
            && buffer.withBytes { start < $0.count && $0[start] == UInt8(ascii: "\"") }
        let kept = most - (isMarked ? 1 : 0) - (hasQuotes ? 1 : 0)
        var columns = 0
        var end = start
        buffer.withBytes { bytes in
            for index in start..<bytes.count where bytes[index] & 0xC0 != 0x80 {
                if columns == kept { end = index }
                columns += 1
            }
        }
        guard columns > most else { return columns }
        buffer.truncate(to: end)
        if isMarked { buffer.append("…") }
        if hasQuotes { buffer.append(UInt8(ascii: "\"")) }
        return most
    }

    /// Fills up what begins at the offset and has so many columns.
    func pad(from start: Int, columns: Int, in buffer: inout ByteBuffer) {
        let missing = least - columns
        guard missing > 0 else { return }
        buffer.append(repeating: UInt8(ascii: " "), count: missing)
        if isRight { buffer.rotate(from: start, rightBy: missing) }
    }
}
