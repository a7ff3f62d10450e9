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

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// Discards the line.
    public static let drop = RedirectAction(.drop)

    /// Prints the line where it would have gone, unchanged to the byte.
    public static let pass = RedirectAction(.pass)

    /// Logs the line; the category of the record is the name of its origin.
    public static func log(_ level: Level) -> RedirectAction {
        RedirectAction(.log(level, category: nil))
    }

    /// Logs the line in a category of one's own.
    public static func log(_ level: Level, category: String) -> RedirectAction {
        RedirectAction(.log(level, category: category))
    }

    /// Logs the line at the level that it carries itself, as in `[INFO] ready` or `level=warn`.
    ///
    /// The marks that are understood, and which of them are taken off the text, are in
    /// <doc:RedirectRules>. A line of NSLog without a mark has the level that the redirect gives to
    /// NSLog.
    ///
    /// - Parameters:
    ///   - level: The level of a line that carries none.
    ///   - category: The category of the record; that of its origin where it is nil.
    /// - Returns: The action.
    public static func logParsed(
        otherwise level: Level,
        category: String? = nil
    ) -> RedirectAction {
        RedirectAction(.logParsed(otherwise: level, category: category))
    }
}
