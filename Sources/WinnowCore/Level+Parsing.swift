// SPDX-License-Identifier: Apache-2.0

extension Level {
    /// Creates the level of a name or number, as filters and the environment spell them.
    ///
    /// The names are those of syslog (`emerg`, `crit`, `err`, …), of the Apple System Log
    /// (`Emergency` … `Debug`, `Panic`) and of swift-log, whose `trace` is ``debug``; case does not
    /// matter. The numbers are `0` to `7`. Sets such as `off` are not levels.
    ///
    /// MT-Safe, AS-Unsafe heap.
    ///
    /// Source: syslog.conf(5); asl.h; swift-log, `Logger.Level`.
    public init?(parsing text: some StringProtocol) {
        let name = text.lowercased()
        guard let spelling = Level.spellings.first(where: { $0.name == name }) else { return nil }
        self = spelling.level
    }

    /// Every name and number of a level in lower case, what is best to suggest first.
    package static let spellings: [(name: String, level: Level)] = [
        ("emergency", .emergency), ("alert", .alert), ("critical", .critical), ("error", .error),
        ("warning", .warning), ("notice", .notice), ("info", .info), ("debug", .debug),
        ("emerg", .emergency), ("panic", .emergency), ("crit", .critical), ("err", .error),
        ("warn", .warning), ("trace", .debug),
        ("0", .emergency), ("1", .alert), ("2", .critical), ("3", .error),
        ("4", .warning), ("5", .notice), ("6", .info), ("7", .debug),
    ]

    /// The names without the numbers, for suggestions: a mistyped number is as near to the intended one as
    /// to one that silences nearly everything.
    package static let words = spellings.map(\.name).filter { Int(digits: $0[...]) == nil }

    /// What others call a level, which is none of its spellings here.
    private static let foreign = [
        "fatal": "critical", "fault": "critical", "severe": "error", "failure": "error",
        "default": "notice", "information": "info", "informational": "info", "verbose": "debug",
        "fine": "debug", "debugging": "debug",
    ]

    /// What may have been meant by a word that is no level.
    package static func suggestion(
        for word: some StringProtocol,
        among others: [String] = []
    ) -> String? {
        foreign[word.lowercased()] ?? Suggestion.nearest(to: word, among: words + others)
    }

    /// The names of the levels, as the problem of an unknown name lists them.
    package static let choices = allCases.map(\.description).joined(separator: ", ")
}
