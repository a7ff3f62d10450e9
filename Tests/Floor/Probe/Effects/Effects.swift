// SPDX-License-Identifier: Apache-2.0

/// What the arguments of the statements do when they are evaluated: they print, and no optimizer
/// may assume what.
@inline(never)
public func effect(_ token: StaticString) -> String {
    print("effect \(token)")
    return "value"
}

/// The same with the level of a statement whose level is known only at run time.
@inline(never)
public func effect(_ token: StaticString, of level: UInt8) -> UInt8 {
    print("effect \(token)_\(level)")
    return level
}

/// The same for `errno:`.
@inline(never)
public func code(_ token: StaticString) -> Int32 {
    print("effect \(token)")
    return 2
}

/// The same for `error:`.
@inline(never)
public func failure(_ token: StaticString) -> Failure {
    print("effect \(token)")
    return Failure(description: "\(token)")
}

/// An error whose text is a literal of the statement.
public struct Failure: Error, CustomStringConvertible {
    /// What the error says of itself.
    public let description: String
}

/// Runs a closure that the optimizer cannot see through.
@inline(never)
public func perform(_ body: @escaping @Sendable () -> Void) {
    body()
}

/// A result builder in which a statement stands for nothing.
@resultBuilder
public enum Lines {
    /// A text is a line.
    public static func buildExpression(_ line: String) -> [String] { [line] }
    /// A statement is none.
    public static func buildExpression(_ statement: Void) -> [String] { [] }
    /// Lines follow one another.
    public static func buildBlock(_ lines: [String]...) -> [String] { lines.flatMap { $0 } }
    /// What an `if` gives.
    public static func buildOptional(_ lines: [String]?) -> [String] { lines ?? [] }
}

/// A value that cannot be copied.
public struct Handle: ~Copyable {
    /// Its only part.
    public let number: Int

    /// Creates a value.
    public init(number: Int) { self.number = number }
}
