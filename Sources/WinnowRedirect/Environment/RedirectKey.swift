// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What an entry of `WINNOW_REDIRECT` is for: the part in front of the `=`.
enum RedirectKey: Equatable {
    /// `/regex/`: lines that it matches.
    case expression(Substring)
    /// `"text"`: lines that hold it.
    case text(String)
    /// `NoisyNet`, `Noisy*`; with `~` behind it approximate origins too.
    case origin(Substring, takesApproximate: Bool)
    /// `descriptor`, `descriptor.stdout`.
    case descriptor(PrintedStream?)
    /// `stdout`, `stderr`.
    case stream(PrintedStream)
    /// `*`: all that meets no other entry.
    case any

    private static let streams: [(name: String, stream: PrintedStream)] = [
        ("stdout", .stdout), ("stderr", .stderr),
    ]
    private static let words: [(name: String, key: RedirectKey)] =
        streams.map { ($0.name, .stream($0.stream)) } + [("descriptor", .descriptor(nil))]
        + streams.map { ("descriptor.\($0.name)", .descriptor($0.stream)) } + [("*", .any)]

    /// The place among the classes of entries: what is less is more specific, and comes first.
    var rank: Int {
        switch self {
        case .expression, .text: 0
        case .origin(let name, _): name.utf8.contains(UInt8(ascii: "*")) ? 2 : 1
        case .descriptor(.some): 3
        case .descriptor(nil): 4
        case .stream: 5
        case .any: 6
        }
    }

    /// Creates the key of a word that is neither an expression nor a text.
    init(_ word: Substring, in entry: Substring) throws(FilterProblem) {
        if word.isEmpty {
            throw FilterProblem(entry: entry, reason: "a key is missing", at: entry)
        }
        if word.utf8.contains(UInt8(ascii: ";")) {
            let reason = "entries are separated by ',' and not by ';'"
            throw FilterProblem(entry: entry, reason: reason, at: word)
        }
        if word.utf8.contains(UInt8(ascii: " ")) {
            throw FilterProblem(entry: entry, reason: "entries are separated by ','", at: word)
        }
        if let known = RedirectKey.words.first(where: { $0.name == word }) {
            self = known.key
            return
        }
        if let meant = RedirectKey.likelyMeant(by: word) {
            throw FilterProblem(
                entry: entry,
                reason: "unknown stream \(quoted(word))",
                at: word,
                suggestion: meant
            )
        }
        let takesApproximate = word.utf8.last == UInt8(ascii: "~")
        let name = takesApproximate ? word.dropLast() : word
        if name.isEmpty {
            throw FilterProblem(entry: entry, reason: "an origin is missing", at: word)
        }
        self = .origin(name, takesApproximate: takesApproximate)
    }

    /// The word that was probably meant by one that could be the name of a module.
    ///
    /// Modules of Swift begin with a capital, and are not written in capitals alone.
    private static func likelyMeant(by word: Substring) -> String? {
        let names = words.map(\.name)
        let lowercased = word.lowercased()
        if let name = names.first(where: { $0 == lowercased }) { return name }
        guard word == lowercased else { return nil }
        return Suggestion.nearest(to: word, among: names)
    }

    /// Returns the rule for the lines that the key is for; nil for all lines.
    func rule(_ action: RedirectAction, in entry: Substring) throws(FilterProblem) -> RedirectRule?
    {
        switch self {
        case .expression(let pattern):
            return try RedirectExpression.rule(for: pattern, action, in: entry)
        case .text(let text):
            return .contains(text, action)
        case .origin(let name, let takesApproximate):
            let rule = RedirectRule.origin(String(name), action)
            return takesApproximate ? rule.approximateOriginsToo() : rule
        case .descriptor(let stream):
            let rule = RedirectRule.descriptor(action)
            return stream.map { rule.on($0) } ?? rule
        case .stream(let stream):
            return .stream(stream, action)
        case .any:
            return nil
        }
    }
}
