// SPDX-License-Identifier: Apache-2.0

/// The names of origins, as a rule spells them: exact, or with `*` for any number of characters.
///
/// Names are compared byte by byte, case included.
struct OriginPattern: Sendable, Hashable {
    /// What stands between the asterisks: one more part than there are asterisks.
    private let parts: [[UInt8]]

    init(_ text: String) {
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    /// Whether the pattern is `*`, which says nothing of the name.
    var isAny: Bool { parts.count > 1 && parts.allSatisfy(\.isEmpty) }

    func matches(_ name: String) -> Bool {
        guard let first = parts.first, let last = parts.last else { return false }
        let bytes = Array(name.utf8)
        guard parts.count > 1 else { return bytes == first }
        guard bytes.count >= first.count + last.count, bytes.starts(with: first),
            bytes.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = bytes[first.count..<(bytes.count - last.count)]
        // The first place for each part leaves the most for those behind it.
        for part in parts.dropFirst().dropLast() {
            guard let end = end(of: part, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    private func end(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= part.count else { return nil }
        for start in bytes.startIndex...(bytes.endIndex - part.count)
        where bytes[start..<(start + part.count)].elementsEqual(part) {
            return start + part.count
        }
        return nil
    }
}
