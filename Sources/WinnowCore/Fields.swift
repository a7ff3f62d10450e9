// SPDX-License-Identifier: Apache-2.0

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

    /// Creates a list from pairs, in their order.
    public init<Value>(_ pairs: some Sequence<(key: String, value: Value)>) {
        elements = pairs.map { Field($0.key, describing: $0.value) }
    }

    /// Creates a list from a dictionary, in the order of the names.
    public init<Value>(_ dictionary: [String: Value]) {
        elements = dictionary.sorted { $0.key < $1.key }.map { Field($0.key, describing: $0.value) }
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
