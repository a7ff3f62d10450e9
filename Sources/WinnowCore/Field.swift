// SPDX-License-Identifier: Apache-2.0

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
    init(_ name: String, describing value: some Any) {
        guard let hidden = value as? PrivateValue else {
            self.init(name, FieldValue(describing: value))
            return
        }
        self.init(name, hidden.value)
        privacy = hidden.privacy
    }
}
