// SPDX-License-Identifier: Apache-2.0

/// The value of a field, with its type, which JSON keeps.
///
/// A value: MT-Safe, AS-Unsafe heap.
@frozen
public enum FieldValue: Sendable, Hashable {
    /// Any text.
    case string(String)
    /// A signed integer.
    case integer(Int64)
    /// An unsigned integer.
    case unsigned(UInt64)
    /// A floating-point number.
    case double(Double)
    /// A truth value.
    case bool(Bool)
    /// A value that is absent, as an empty optional is.
    case null
    /// A value that none of the others holds, as JSON text.
    case json(JSONText)
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a signed integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an absent value.
    public init(nilLiteral: ()) { self = .null }
}

extension FieldValue: CustomStringConvertible {
    /// The value as text: digits, `true`, `nil`, or the text itself.
    public var description: String {
        switch self {
        case .string(let value): value
        case .integer(let value): value.description
        case .unsigned(let value): value.description
        case .double(let value): value.description
        case .bool(let value): value.description
        case .null: "nil"
        case .json(let value): value.description
        }
    }
}
