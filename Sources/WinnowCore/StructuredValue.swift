// SPDX-License-Identifier: Apache-2.0

/// A value that is made of others: an array, a set or a dictionary.
protocol StructuredValue {
    /// Writes the value.
    func write(to writer: inout JSONWriter)
}

/// Returns the value if it is made of others, whatever wraps it, or what the runtime makes of an
/// `NSArray`, an `NSSet` or an `NSDictionary`; nil where it is a value of its own.
func structure(of value: some Any) -> (any StructuredValue)? {
    if let value = value as? any StructuredValue { return value }
    guard type(of: value as Any) is AnyClass else { return nil }
    if let elements = value as? [Any] { return elements }
    if let members = value as? [AnyHashable: Any] { return members }
    return value as? Set<AnyHashable>
}

extension JSONText {
    /// Creates the text of an array or an object.
    init(_ structure: any StructuredValue) {
        var writer = JSONWriter()
        structure.write(to: &writer)
        self.init(valid: writer.text)
    }
}

extension Sequence {
    fileprivate func writeElements(to writer: inout JSONWriter) {
        writer.write(array: self) { $0.write(describing: $1) }
    }
}

extension Array: StructuredValue {
    func write(to writer: inout JSONWriter) { writeElements(to: &writer) }
}

extension ArraySlice: StructuredValue {
    func write(to writer: inout JSONWriter) { writeElements(to: &writer) }
}

extension ContiguousArray: StructuredValue {
    func write(to writer: inout JSONWriter) { writeElements(to: &writer) }
}

extension Set: StructuredValue {
    func write(to writer: inout JSONWriter) { writeElements(to: &writer) }
}

extension Dictionary: StructuredValue {
    func write(to writer: inout JSONWriter) {
        // A dictionary has no order: that of the names is the same in each record.
        let members = map { (key: FieldValue(describing: $0).description, value: $1) }
        writer.write(object: members.sorted { $0.key < $1.key }) { $0.write(describing: $1) }
    }
}

extension KeyValuePairs: StructuredValue {
    func write(to writer: inout JSONWriter) {
        let members = map { (key: FieldValue(describing: $0).description, value: $1) }
        writer.write(object: members) { $0.write(describing: $1) }
    }
}
