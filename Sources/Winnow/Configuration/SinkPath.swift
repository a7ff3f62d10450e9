// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The path in an entry of `WINNOW_SINKS`.
enum SinkPath {
    /// Returns the path with its escapes decoded: `%` and two hexadecimal digits for each byte.
    static func decoded(
        _ path: Substring,
        in entry: Substring
    ) throws(FilterProblem) -> String {
        var bytes: [UInt8] = []
        var rest = path.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard let escaped = value(of: digits), escaped != 0 else {
                let reason = "no escape after '%', which is written '%25'"
                throw FilterProblem(entry: entry, reason: reason, at: path[digits.startIndex...])
            }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FilterProblem(entry: entry, reason: "a path is not UTF-8", at: path)
        }
        return text
    }

    /// The byte of two hexadecimal digits; nil where they are none.
    private static func value(of digits: Substring.UTF8View) -> UInt8? {
        guard digits.count == 2 else { return nil }
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return values.count == 2 ? UInt8(values[0] * 16 + values[1]) : nil
    }
}
