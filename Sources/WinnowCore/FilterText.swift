// SPDX-License-Identifier: Apache-2.0

/// What the parsers of filters and of the environment share: parts of one text that know where
/// they stand in it.
extension Substring {
    /// The number of the part's first character in the whole text, from 1.
    ///
    /// For an empty part at the end, it is the number of the last character. Characters are Unicode
    /// scalars.
    package var position: Int {
        let scalars = base.unicodeScalars
        let distance = scalars.distance(from: scalars.startIndex, to: startIndex)
        return Swift.max(1, Swift.min(distance + 1, scalars.count))
    }

    /// The part without the blanks and tabs around it.
    package var trimmed: Substring {
        let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        let start = utf8.firstIndex { !blanks.contains($0) } ?? endIndex
        let rest = self[start...]
        let end = rest.utf8.lastIndex { !blanks.contains($0) }
        return rest[..<(end.map(rest.utf8.index(after:)) ?? start)]
    }

    /// Whether the part is a word that asks for nothing: `off` or `none`.
    package var asksForNothing: Bool { ["off", "none"].contains(lowercased()) }

    /// The parts between the separators, trimmed; there is always one more than separators.
    ///
    /// Works on bytes, so that a combining mark behind a separator does not hide it.
    package func parts(separatedBy separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { Substring($0).trimmed }
    }

    /// Throws if the part, an entry of a list, has bytes that are no text, for which a decoder puts U+FFFD:
    /// a path or a category with that character would be another one than was meant.
    package func checkText() throws(FilterProblem) {
        guard let place = unicodeScalars.firstIndex(of: "\u{FFFD}") else { return }
        throw FilterProblem(entry: self, reason: "it is not UTF-8", at: self[place...])
    }

    /// The parts before and behind the first separator, trimmed; nil where there is none.
    package func halves(
        separatedBy separator: Unicode.Scalar
    ) -> (before: Substring, behind: Substring)? {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (self[..<index].trimmed, self[utf8.index(after: index)...].trimmed)
    }
}

/// Returns the text between quotes, harmless to a terminal and cut where it is long.
package func quoted(_ text: some StringProtocol) -> String {
    // A name, a path or an entry that is longer tells no more.
    let longest = 120
    var result = "'"
    for scalar in text.unicodeScalars.prefix(longest) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned:
            result += "\\u{\(String(scalar.value, radix: 16))}"
        default:
            result.unicodeScalars.append(scalar)
        }
    }
    return result + (text.unicodeScalars.dropFirst(longest).isEmpty ? "'" : "…'")
}
