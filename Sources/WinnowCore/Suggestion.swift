// SPDX-License-Identifier: Apache-2.0

/// What someone may have meant who wrote a word that is not known.
package enum Suggestion {
    /// The longest word, in characters, that is compared: typing errors are made in words, and
    /// the time grows with the length.
    private static let longestWord = 64

    /// A few words as they are told; nil for the many of the levels and facilities, which are in the
    /// manual.
    package static func choices(among words: [String]) -> String? {
        (1...4).contains(words.count) ? words.joined(separator: ", ") : nil
    }

    /// Returns the candidate that is nearest to the word, the first of several; nil if none is near.
    ///
    /// Near are, without regard to case, one error in up to four characters, two in up to eight,
    /// and then one for every three. An error is a character too many, too few or wrong, or two
    /// neighbors that changed places. A word without one right character is near to nothing.
    package static func nearest(
        to word: some StringProtocol,
        among candidates: some Sequence<String>
    ) -> String? {
        let typed = Array(word.lowercased().unicodeScalars.prefix(longestWord + 1))
        guard typed.count <= longestWord else { return nil }
        var nearest: String?
        var leastErrors = min(limit(forLength: typed.count), typed.count - 1) + 1
        for candidate in candidates {
            let meant = Array(candidate.lowercased().unicodeScalars)
            guard abs(meant.count - typed.count) < leastErrors else { continue }
            let errors = distance(from: typed, to: meant)
            guard errors < leastErrors else { continue }
            leastErrors = errors
            nearest = candidate
        }
        return nearest
    }

    private static func limit(forLength length: Int) -> Int {
        length <= 4 ? 1 : max(2, length / 3)
    }

    /// The number of errors that make the one word from the other: the restricted
    /// Damerau-Levenshtein distance.
    private static func distance(from typed: [Unicode.Scalar], to meant: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...meant.count)
        for row in typed.indices {
            var current = [row + 1]
            for column in meant.indices {
                let wrong = typed[row] == meant[column] ? 0 : 1
                var least = min(last[column] + wrong, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, typed[row] == meant[column - 1],
                    typed[row - 1] == meant[column]
                {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            beforeLast = last
            last = current
        }
        return last[meant.count]
    }
}
