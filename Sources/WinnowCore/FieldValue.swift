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
        }
    }
}

extension FieldValue {
    /// Creates a value that keeps the type of a number, Boolean or text, and describes everything
    /// else.
    ///
    /// MT-Safe if the value's description is, AS-Unsafe: the runtime looks up types under locks.
    public init(describing value: some Any) {
        switch value {
        case let value as FieldValue: self = value
        case let value as String: self = .string(value)
        case let value as Bool: self = .bool(value)
        case let value as Double: self = .double(value)
        case let value as Float: self = .double(value.doubleAsWritten)
        case let value as any FixedWidthInteger: self = FieldValue(integer: value)
        case let value as any BinaryFloatingPoint: self = .double(Double(value))
        case let value as any OptionalValue: self = value.fieldValue
        default: self = .string(String(describing: value))
        }
    }

    /// As the encoding of a log call has it: an unsigned type gives an unsigned value.
    private init<Value: FixedWidthInteger>(integer value: Value) {
        if !Value.isSigned, let value = UInt64(exactly: value) {
            self = .unsigned(value)
        } else if let value = Int64(exactly: value) {
            self = .integer(value)
        } else if let value = UInt64(exactly: value) {
            self = .unsigned(value)
        } else {
            self = .string(value.description)
        }
    }
}

/// What a switch over types cannot ask: whether a value of unknown type is an optional.
private protocol OptionalValue {
    var fieldValue: FieldValue { get }
}

extension Optional: OptionalValue {
    fileprivate var fieldValue: FieldValue {
        switch self {
        case .none: .null
        case .some(let value): FieldValue(describing: value)
        }
    }
}
