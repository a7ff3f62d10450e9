// SPDX-License-Identifier: Apache-2.0

/// Writes values as compact JSON.
///
/// A list that lies too deep in others becomes the text `…`: so no value that a program read fills the
/// stack.
///
/// Source: RFC 8259.
package struct JSONWriter {
    /// The text so far.
    package private(set) var text = ""
    private var depth = 0

    /// How deep lists may lie in one another: readers of JSON take 100 and more.
    private static let depthLimit = 64

    package init() {}

    /// Writes a value of any type, as the value of a field would be.
    package mutating func write(describing value: some Any) {
        if let structure = value as? any StructuredValue {
            structure.write(to: &self)
        } else {
            write(FieldValue(describing: value))
        }
    }

    /// Writes the value of a field, as `JSONFormatter` does.
    package mutating func write(_ value: FieldValue) {
        switch value {
        case .string(let value): write(string: value)
        case .integer(let number): text += number.description
        case .unsigned(let number): text += number.description
        case .double(let number) where number.isFinite: text += number.description
        case .double(let number) where number.isNaN: write(string: "NaN")
        case .double(let number): write(string: number < 0 ? "-Infinity" : "Infinity")
        case .bool(let truth): text += truth.description
        case .null: text += "null"
        case .json(let value): text += value.description
        }
    }
}

/// Lists of values, and texts.
extension JSONWriter {
    /// Writes an array; the body writes each element.
    package mutating func write<Element>(
        array elements: some Sequence<Element>,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        write(list: elements, between: "[", and: "]", body)
    }

    /// Writes an object with its members in their order; the body writes each value.
    package mutating func write<Value>(
        object members: some Sequence<(key: String, value: Value)>,
        _ body: (inout JSONWriter, Value) -> Void
    ) {
        write(list: members, between: "{", and: "}") { writer, member in
            writer.write(string: member.key)
            writer.text += ":"
            body(&writer, member.value)
        }
    }

    private mutating func write<Element>(
        list elements: some Sequence<Element>,
        between opening: String,
        and closing: String,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        guard depth < Self.depthLimit else { return write(string: "…") }
        depth += 1
        text += opening
        var separator = ""
        for element in elements {
            text += separator
            separator = ","
            body(&self, element)
        }
        text += closing
        depth -= 1
    }

    /// Writes a text between quotes.
    ///
    /// Source: RFC 8259, section 7.
    package mutating func write(string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
