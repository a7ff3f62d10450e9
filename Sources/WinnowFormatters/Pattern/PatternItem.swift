// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What a pattern can show of a record, by its name in the pattern.
enum PatternName: String, CaseIterable {
    case time, level, category, message, fields, field
    case identifier, process, thread, run, sequence
    case levelSequence = "level_sequence"
    case location, file, line, function, module

    private static let all = allCases.map(\.rawValue)

    /// What other libraries call the same.
    private static let synonyms: [String: PatternName] = [
        "timestamp": .time, "date": .time, "datetime": .time, "severity": .level,
        "priority": .level,
        "logger": .category, "target": .category, "label": .category, "msg": .message,
        "text": .message, "metadata": .fields, "attributes": .fields, "app": .identifier,
        "pid": .process, "tid": .thread, "source": .location, "func": .function,
    ]

    /// Returns what may have been meant by a word that is no name.
    static func suggestion(for word: Substring) -> String? {
        synonyms[word.lowercased()]?.rawValue ?? Suggestion.nearest(to: word, among: all)
    }

    /// The words that may stand behind the name, beside a width.
    var options: [String] {
        switch self {
        case .time: PatternTime.Form.names
        case .level: PatternLevel.allCases.dropFirst().map(\.rawValue)
        case .fields: ["all"]
        case .category, .message, .field, .identifier, .file, .function, .module:
            ["quoted", "json"]
        case .process, .thread, .run, .sequence, .levelSequence, .location, .line: []
        }
    }
}

/// A part of a pattern: a text of its own, or something of the record and how it is shown.
///
/// Texts are ranges of the bytes that the formatter keeps for all its parts, so that a part is
/// plain bits, and to go through them touches no reference count.
struct PatternItem: Hashable {
    /// What is shown; nil for the pattern's own text, which is then all in ``before``.
    var name: PatternName?
    /// The text before a value that is not empty.
    var before = 0..<0
    /// The text behind a value that is not empty.
    var after = 0..<0
    /// The name of the field that ``PatternName/field`` shows.
    var fieldName = 0..<0
    var time = PatternTime()
    var level = PatternLevel.name
    /// Whether the fields that stand in the message are shown too.
    var hasAllFields = false
    /// How a text is written: but for `line`, it stands in double quotes.
    var escaping = Escaping.line
    var width = PatternWidth()

    /// Whether a text stands in double quotes.
    var isQuoted: Bool { escaping != .line }

    /// Whether a text that is empty is written: what reads JSON expects a value, where the part is no
    /// optional one.
    var showsEmpty: Bool { escaping == .json && !isOptional }

    /// Whether the part is left out where its value is empty.
    var isOptional: Bool { !before.isEmpty || !after.isEmpty }
}
