// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
public import WinnowSinks

/// What a test awaits of a record: conditions that must all hold.
///
/// ```swift
/// .level(.error).category("net").message(containing: "refused").field("port", 443)
/// ```
/// Each condition can begin a pattern. Sendable, a value: MT-Safe, AS-Unsafe heap.
public struct RecordPattern: Sendable {
    /// One condition, and how it is said.
    struct Condition: Sendable {
        let text: String
        let holds: @Sendable (StoredRecord) -> Bool
    }

    private(set) var conditions: [Condition] = []

    /// The pattern that every record matches.
    public static let any = RecordPattern()

    /// Adds a condition of one's own.
    ///
    /// - Parameters:
    ///   - text: How a message about a failure says it: `a user below 100`.
    ///   - holds: Whether it holds; called on any thread and from within the sink, which it must
    ///     not use.
    /// - Returns: The pattern with the condition.
    public func matching(
        _ text: String,
        _ holds: @escaping @Sendable (StoredRecord) -> Bool
    ) -> RecordPattern {
        var pattern = self
        pattern.conditions.append(Condition(text: text, holds: holds))
        return pattern
    }

    /// Requires the level.
    public func level(_ level: Level) -> RecordPattern {
        matching("level \(level)") { $0.level == level }
    }

    /// Requires one of the levels.
    public func levels(_ levels: LevelSet) -> RecordPattern {
        let names = Level.allCases.filter(levels.contains).map { "\($0)" }
        return matching("level \(names.joined(separator: " or "))") { levels.contains($0.level) }
    }

    /// Requires the category: this one, not one below it.
    public func category(_ category: String) -> RecordPattern {
        matching("category \(category.debugDescription)") { $0.category == category }
    }

    /// Requires the message, letter by letter.
    public func message(_ message: String) -> RecordPattern {
        matching("message \(message.debugDescription)") { $0.message == message }
    }

    /// Requires a message that holds the text.
    public func message(containing text: String) -> RecordPattern {
        matching("message containing \(text.debugDescription)") { $0.message.holds(text) }
    }

    /// Requires a field of the name.
    public func field(_ name: String) -> RecordPattern {
        matching("a field \(name)") { $0[field: name] != nil }
    }

    /// Requires a field of the name and value; integers are the same, signed or not.
    public func field(_ name: String, _ value: FieldValue) -> RecordPattern {
        matching("\(name)=\(value.inQuotes)") { record in
            record.fields.contains { $0.name == name && $0.value.isSame(as: value) }
        }
    }

    /// Requires a field of the name whose value is the one that a log call would make of this.
    @_disfavoredOverload
    public func field(_ name: String, _ value: some Any) -> RecordPattern {
        field(name, FieldValue(describing: value))
    }

    /// Whether the record meets all conditions.
    public func matches(_ record: StoredRecord) -> Bool {
        conditions.allSatisfy { $0.holds(record) }
    }
}

/// The same conditions, where a pattern begins.
extension RecordPattern {
    /// Requires a condition of one's own.
    public static func matching(
        _ text: String,
        _ holds: @escaping @Sendable (StoredRecord) -> Bool
    ) -> RecordPattern {
        any.matching(text, holds)
    }

    /// Requires the level.
    public static func level(_ level: Level) -> RecordPattern { any.level(level) }

    /// Requires one of the levels.
    public static func levels(_ levels: LevelSet) -> RecordPattern { any.levels(levels) }

    /// Requires the category.
    public static func category(_ category: String) -> RecordPattern { any.category(category) }

    /// Requires the message, letter by letter.
    public static func message(_ message: String) -> RecordPattern { any.message(message) }

    /// Requires a message that holds the text.
    public static func message(containing text: String) -> RecordPattern {
        any.message(containing: text)
    }

    /// Requires a field of the name.
    public static func field(_ name: String) -> RecordPattern { any.field(name) }

    /// Requires a field of the name and value.
    public static func field(_ name: String, _ value: FieldValue) -> RecordPattern {
        any.field(name, value)
    }

    /// Requires a field of the name whose value is the one that a log call would make of this.
    @_disfavoredOverload
    public static func field(_ name: String, _ value: some Any) -> RecordPattern {
        any.field(name, value)
    }
}

extension RecordPattern: CustomStringConvertible {
    /// The pattern in words: `a record with level error, category "net"`.
    public var description: String {
        conditions.isEmpty
            ? "any record" : "a record with " + conditions.map(\.text).joined(separator: ", ")
    }
}

extension FieldValue {
    /// The value as a message about a failure shows it.
    var inQuotes: String {
        if case .string(let text) = self { return text.debugDescription }
        return description
    }

    fileprivate func isSame(as other: FieldValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .unsigned(let right)): UInt64(exactly: left) == right
        case (.unsigned(let left), .integer(let right)): left == UInt64(exactly: right)
        default: self == other
        }
    }
}

extension String {
    /// Whether the text is a part of this one, byte by byte.
    fileprivate func holds(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first else { return true }
        let bytes = Array(utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { start in
            bytes[start] == first && bytes[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
