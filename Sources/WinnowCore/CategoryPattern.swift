// SPDX-License-Identifier: Apache-2.0

/// The categories that an entry of a filter is for: one and those below it, or only these.
package struct CategoryPattern: Sendable, Equatable {
    let name: [UInt8]
    /// Whether the pattern is only for what is below the category: `db.*`.
    let isOnlyBelow: Bool

    /// Reads a pattern: `net`, `db.*`.
    ///
    /// - Throws: The problem with it.
    init(_ text: Substring, in entry: Substring) throws(FilterProblem) {
        isOnlyBelow = text.utf8.suffix(2).elementsEqual(".*".utf8)
        let name = isOnlyBelow ? text.utf8.dropLast(2) : text.utf8
        if let reason = Self.problem(of: name) {
            throw FilterProblem(entry: entry, reason: reason, at: text)
        }
        self.name = Array(
            try PercentEscapes.decoded(Substring(name), as: "a category", in: entry).utf8
        )
    }

    /// What is wrong with a name; nil where nothing is.
    static func problem(of name: Substring.UTF8View) -> String? {
        if name.isEmpty { return "a category is missing" }
        // A wrong separator would otherwise make a category that nothing ever has.
        if name.contains(UInt8(ascii: ";")) { return "entries are separated by ',' and not by ';'" }
        if name.contains(UInt8(ascii: " ")) { return "entries are separated by ','" }
        return name.contains(UInt8(ascii: "*")) ? "'*' stands alone or in '.*' at the end" : nil
    }

    /// Whether the pattern applies where both match: its name has more components, which then makes it longer, or it
    /// is for less.
    func isMoreSpecific(than other: CategoryPattern) -> Bool {
        if name.count != other.name.count { return name.count > other.name.count }
        return isOnlyBelow && !other.isOnlyBelow
    }

    func matches(_ category: Span<UInt8>) -> Bool {
        guard category.count >= name.count else { return false }
        for index in name.indices where name[index] != category[index] {
            return false
        }
        guard category.count > name.count else { return !isOnlyBelow }
        return category[name.count] == UInt8(ascii: ".")
    }
}

extension CategoryPattern: CustomStringConvertible {
    package var description: String {
        let special = "=,;*@ \t"
        let text = PercentEscapes.encoded(name) { special.utf8.contains($0) }
        return text + (isOnlyBelow ? ".*" : "")
    }
}
