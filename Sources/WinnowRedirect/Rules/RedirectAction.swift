// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// What becomes of a line that third-party code printed.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct RedirectAction: Sendable, Hashable {
    /// The actions there are; more may come.
    package enum Kind: Sendable, Hashable {
        case drop
        case pass
        case log(Level, category: String?)
        case logParsed(otherwise: Level, category: String?)
    }

    package let kind: Kind
    /// For how long equal lines count as one, in nanoseconds; 0 where each is logged.
    package let collapsing: UInt64

    private init(_ kind: Kind, collapsing interval: Duration? = nil) {
        self.kind = kind
        collapsing = interval?.nanosecondsClamped ?? 0
    }

    /// Discards the line.
    public static let drop = RedirectAction(.drop)

    /// Prints the line where it would have gone, unchanged to the byte.
    public static let pass = RedirectAction(.pass)

    /// Logs the line; <doc:RedirectRules> says when two are equal.
    ///
    /// - Parameters:
    ///   - level: The level of the record.
    ///   - category: The category of the record; the name of its origin if it is nil.
    ///   - interval: If it is not nil, the first of equal lines is logged at once, and those that follow
    ///     within this time become one more record, with their number in the field `repeated`.
    /// - Returns: The action.
    public static func log(
        _ level: Level,
        category: String? = nil,
        collapsing interval: Duration? = nil
    ) -> RedirectAction {
        RedirectAction(.log(level, category: category), collapsing: interval)
    }

    /// Logs the line at the level that it carries itself, as in `[INFO] ready` or `level=warn`.
    ///
    /// The marks that are understood, and which of them are taken off the text, are in
    /// <doc:RedirectRules>. A line of NSLog without a mark has the level that the redirect gives to
    /// NSLog.
    ///
    /// - Parameters:
    ///   - level: The level of a line that carries none.
    ///   - category: The category of the record; the name of its origin if it is nil.
    ///   - interval: As for ``log(_:category:collapsing:)``.
    /// - Returns: The action.
    public static func logParsed(
        otherwise level: Level = .notice,
        category: String? = nil,
        collapsing interval: Duration? = nil
    ) -> RedirectAction {
        RedirectAction(.logParsed(otherwise: level, category: category), collapsing: interval)
    }
}
