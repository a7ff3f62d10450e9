// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The value of a field as a formatter meets it; the bytes of a text or of JSON come beside it.
package enum FieldContent {
    case text
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case bool(Bool)
    case null
    case json
}

/// The record's texts as spans, so that no formatter touches a pointer.
extension Record {
    // SAFETY: what the pointers of a record lead to stays as it is while the record is lent, and a
    // span does not outlive the call that gets it.

    /// Calls the body with the bytes of the category.
    package func withCategory(_ body: (Span<UInt8>) -> Void) {
        unsafe withSpan(of: categoryBytes, body)
    }

    /// Calls the body with the bytes of the file, the function and the module of the call, unless
    /// the file is unknown.
    package func withLocation(_ body: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void) {
        guard unsafe !fileBytes.isEmpty else { return }
        unsafe withSpan(of: fileBytes) { file in
            unsafe withSpan(of: functionBytes) { function in
                unsafe withSpan(of: moduleBytes) { module in body(file, function, module) }
            }
        }
    }

    /// Calls the body with the bytes of the message.
    func withMessageSpan(_ body: (Span<UInt8>) -> Void) {
        unsafe withSpan(of: messageBytes, body)
    }

    /// Calls the body with each field: its name, its value, the bytes of the value where it is a
    /// text, and whether it stands in the message too.
    @inline(__always)
    package func forEachFieldSpan(_ body: (Span<UInt8>, FieldContent, Span<UInt8>, Bool) -> Void) {
        for index in 0..<fieldCount {
            let entry = unsafe fieldEntries[index]
            let name = unsafe entry.name.assumingMemoryBound(to: UInt8.self).span
            let text = unsafe textBytes(of: entry.value).assumingMemoryBound(to: UInt8.self).span
            body(name, unsafe FieldContent(entry.value), text, unsafe entry.isInMessage)
        }
    }
}

extension FieldContent {
    @inline(__always)
    fileprivate init(_ value: RecordContent.Value) {
        self =
            switch unsafe value {
            case .text, .rendered: .text
            case .integer(let number): .integer(number)
            case .unsigned(let number): .unsigned(number)
            case .double(let number): .double(number)
            case .bool(let truth): .bool(truth)
            case .null: .null
            case .json: .json
            }
    }
}

@inline(__always)
private func withSpan(of bytes: UnsafeRawBufferPointer, _ body: (Span<UInt8>) -> Void) {
    // SAFETY: the bytes are initialized and stay as they are during the call.
    body(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
}
