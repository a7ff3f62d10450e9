// SPDX-License-Identifier: Apache-2.0

/// What a value of a type that only the program knows becomes.
extension FieldValue {
    /// Creates a value that keeps the type of a number, Boolean or text, makes JSON of arrays, sets and
    /// dictionaries, and describes everything else.
    ///
    /// The elements of a structure become what they would be as values of their own. The members of a
    /// dictionary have the order of their names. A structure that lies in 64 others is the text `…`.
    ///
    /// A number is exact, whatever holds it: an `NSNumber` is a Boolean only if it was made as one, and
    /// a decimal number or an integer of more than 64 bits has all its digits. `NSNull` is
    /// ``null``.
    ///
    /// MT-Safe if the value's description is, AS-Unsafe: the runtime looks up types under locks.
    public init(describing value: some Any) {
        self.init(describing: value, keepingStructure: true)
    }

    /// The same; in a message, a structure is what Swift describes it as.
    init(describing value: some Any, keepingStructure: Bool) {
        // What an optional or a hashable value holds is looked at by itself, and its type before any cast:
        // with Foundation in the program, a cast to `Bool` succeeds for an object that is the number 1,
        // and one to `Double` for an object that is the number 2.
        let kind: Any.Type = type(of: value as Any)
        if let value = value as? any OptionalValue {
            self = value.fieldValue(keepingStructure)
        } else if kind is AnyClass, let value = FieldValue(object: value, keepingStructure) {
            self = value
        } else if kind == AnyHashable.self, let value = value as? AnyHashable {
            self.init(describing: value.base, keepingStructure: keepingStructure)
        } else {
            self.init(nonObject: value, keepingStructure)
        }
    }

    private init(nonObject value: some Any, _ keepingStructure: Bool) {
        switch value {
        case let value as FieldValue: self = value
        case let value as String: self = .string(value)
        case let value as Bool: self = .bool(value)
        case let value as Double: self = .double(value)
        case let value as Float: self = .double(value.doubleAsWritten)
        case let value as any FixedWidthInteger: self = FieldValue(integer: value)
        case let value as any BinaryFloatingPoint: self = .double(Double(value))
        case let value as any StructuredValue where keepingStructure: self = .json(JSONText(value))
        case let value as any Numeric: self = FieldValue(digits: String(describing: value))
        default: self = .string(String(describing: value))
        }
    }

    /// As the encoding of a log call has it: an unsigned type gives an unsigned value.
    private init<Value: FixedWidthInteger>(integer value: Value) {
        if !Value.isSigned, let value = UInt64(exactly: value) {
            self = .unsigned(value)
        } else if let value = Int64(exactly: value) {
            self = .integer(value)
        } else {
            self.init(digits: value.description)
        }
    }

    /// Creates the number that digits mean, exactly; a text where they mean none.
    private init(digits: String) {
        if let number = Int64(digits) {
            self = .integer(number)
        } else if let number = UInt64(digits) {
            self = .unsigned(number)
        } else if let number = Double(digits), number.isNaN || number.description == digits {
            self = .double(number)
        } else if let number = JSONText(number: digits) {
            self = .json(number)
        } else {
            self = .string(digits)
        }
    }
}

/// The objects of Foundation, which nothing here names: the runtime knows them if the program has any.
extension FieldValue {
    /// Creates the value that an object stands for; nil where it stands for nothing but itself.
    private init?(object value: some Any, _ keepingStructure: Bool) {
        let kind: Any.Type = type(of: value as Any)
        let kindOfBool: Any.Type = type(of: true as AnyObject)
        let kindOfNull: Any.Type = type(of: (nil as Any?) as AnyObject)
        if let text = value as? String {
            self = .string(text)
        } else if kind == kindOfBool, let truth = value as? Bool {
            self = .bool(truth)
        } else if kind == kindOfNull, kind != kindOfBool {
            self = .null
        } else if value is any ExpressibleByBooleanLiteral & ExpressibleByFloatLiteral {
            // Its description has all its digits; a cast to `Double` may have fewer.
            self.init(digits: String(describing: value))
        } else if keepingStructure, let structure = structure(of: value) {
            self = .json(JSONText(structure))
        } else {
            return nil
        }
    }
}

/// What a switch over types cannot ask: whether a value of unknown type is an optional.
private protocol OptionalValue {
    func fieldValue(_ keepingStructure: Bool) -> FieldValue
}

extension Optional: OptionalValue {
    fileprivate func fieldValue(_ keepingStructure: Bool) -> FieldValue {
        switch self {
        case .none: .null
        case .some(let value): FieldValue(describing: value, keepingStructure: keepingStructure)
        }
    }
}
