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

/// A name and a value that belong to a record in addition to its message.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct Field: Sendable, Hashable {
    /// The name as the code wrote it.
    ///
    /// Each sink makes it legal in its own way.
    public var name: String
    /// The value.
    public var value: FieldValue
    /// Whether the value may appear in the log; in a record, it is already masked, and so public.
    package var privacy = LogPrivacy.public

    /// Creates a field from a value that is one already.
    public init(_ name: String, _ value: FieldValue) {
        self.name = name
        self.value = value
    }

    /// Creates a field: numbers, Booleans and texts keep their type, an empty optional becomes
    /// ``FieldValue/null``, a ``PrivateValue`` stays private, and everything else is described.
    @_disfavoredOverload
    public init(_ name: String, _ value: some Any) {
        self.init(name, describing: value)
    }

    /// The same for a value of a type that only the program knows, and ``PrivateValue`` among them.
    fileprivate init(_ name: String, describing value: some Any) {
        guard let hidden = value as? PrivateValue else {
            self.init(name, FieldValue(describing: value))
            return
        }
        self.init(name, hidden.value)
        privacy = hidden.privacy
    }
}

/// Fields in the order in which they were written: `["port": 80, "host": "example.org"]`.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct Fields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The fields, in order; a name may occur more than once.
    public var elements: [Field]

    /// Creates a list from a literal whose values may be of any type, as in the pairs of a log call.
    public init(dictionaryLiteral elements: (String, Any?)...) {
        self.elements = elements.map { Field($0.0, describing: $0.1 as Any) }
    }

    /// Creates a list from a dictionary or other pairs, in their order.
    public init<Value>(_ pairs: some Sequence<(key: String, value: Value)>) {
        elements = pairs.map { Field($0.key, describing: $0.value) }
    }

    /// Creates a list from the pairs of a log call.
    package init<each Value>(pairs: repeat (StaticString, each Value)) {
        elements = []
        for pair in repeat each pairs {
            elements.append(Field(pair.0.description, describing: pair.1))
        }
    }

    /// Creates a list from any sequence of fields.
    public init(_ elements: some Sequence<Field>) {
        self.elements = Array(elements)
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
