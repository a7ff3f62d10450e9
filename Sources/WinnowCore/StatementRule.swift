// SPDX-License-Identifier: Apache-2.0

extension Filter {
    /// The levels of some statements: `net@Net*.swift:40-80~*timeout*=debug`.
    package final class StatementRule: Sendable {
        /// Nil for all categories.
        private let categories: CategoryPattern?
        private let file: Glob
        /// Whether the pattern is for a file with its module: `Net/Client.swift`.
        private let hasModule: Bool
        /// From 0 to the greatest number for all.
        private let lines: ClosedRange<Int>
        /// What the first literal of the message is; nil for anything.
        let text: Glob?
        let levels: LevelSet

        /// Reads a rule.
        ///
        /// - Parameters:
        ///   - category: What stands before `@`.
        ///   - place: What stands between `@` and `=`.
        ///   - levels: What is let through.
        ///   - entry: The entry.
        /// - Throws: The problem with it.
        init(
            _ category: Substring,
            at place: Substring,
            levels: LevelSet,
            in entry: Substring
        ) throws(FilterProblem) {
            let isForAll = category.isEmpty || category == "*"
            categories = isForAll ? nil : try CategoryPattern(category, in: entry)
            let (location, pattern) =
                place.halves(separatedBy: "~").map { ($0, $1) } ?? (place, nil)
            let (name, numbers) =
                location.halves(separatedBy: ":").map { ($0, $1) } ?? (location, nil)
            guard !name.isEmpty else {
                let reason = "a file is missing, such as Net.swift or *"
                throw FilterProblem(entry: entry, reason: reason, at: place)
            }
            file = try Glob(name, as: "a file", in: entry)
            hasModule = file.contains(UInt8(ascii: "/"))
            lines =
                try numbers.map { text throws(FilterProblem) in try Self.lines(text, in: entry) }
                ?? 0...Int.max
            if let pattern { text = try Glob(pattern, as: "a text", in: entry) } else { text = nil }
            self.levels = levels
        }

        private static func lines(
            _ text: Substring,
            in entry: Substring
        ) throws(FilterProblem) -> ClosedRange<Int> {
            let (begin, end) = text.halves(separatedBy: "-").map { ($0, $1) } ?? (text, text)
            guard let first = Int(digits: begin), let last = Int(digits: end), first <= last,
                last <= UInt32.max
            else {
                let reason = "lines are one, such as 40, or a range, such as 40-80"
                throw FilterProblem(entry: entry, reason: reason, at: text)
            }
            return first...last
        }

        /// Whether the rule is for a statement, in some category, as far as its text is known.
        package func isFor(_ file: Span<UInt8>, _ line: UInt32, _ text: Span<UInt8>?) -> Bool {
            guard isAt(file, line) else { return false }
            guard let pattern = self.text, let text else { return true }
            return pattern.matches(text)
        }

        private func isAt(_ file: Span<UInt8>, _ line: UInt32) -> Bool {
            guard lines.contains(Int(line)) else { return false }
            return self.file.matches(file, from: hasModule ? 0 : file.indexBehindLastSlash)
        }

        /// Whether the rule is for statements of a category.
        func concerns(_ category: Span<UInt8>) -> Bool { categories?.matches(category) ?? true }

        /// Whether the rule is for a statement, as far as its place says: `Net/Client.swift`, a line.
        func matches(_ category: Span<UInt8>, _ file: Span<UInt8>, _ line: UInt32) -> Bool {
            concerns(category) && isAt(file, line)
        }
    }
}

extension Filter.StatementRule: CustomStringConvertible {
    package var description: String {
        var place = "\(categories.map { "\($0)" } ?? "")@\(file)"
        if lines.upperBound < Int.max {
            let isOne = lines.lowerBound == lines.upperBound
            place += isOne ? ":\(lines.lowerBound)" : ":\(lines.lowerBound)-\(lines.upperBound)"
        }
        if let text { place += "~\(text)" }
        return "\(place)=\(levels)"
    }
}

extension Span<UInt8> {
    /// Where the last component of a path begins.
    fileprivate var indexBehindLastSlash: Int {
        var index = count
        while index > 0, self[index - 1] != UInt8(ascii: "/") { index -= 1 }
        return index
    }
}
