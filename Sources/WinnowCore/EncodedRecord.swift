// SPDX-License-Identifier: Apache-2.0

/// A record that is not decoded: its header, and its arguments as the call has written them.
///
/// It is lent like a ``Record``.
@unsafe
@frozen
@usableFromInline
package struct EncodedRecord {
    @usableFromInline package let header: UnsafePointer<RecordHeader>
    @usableFromInline package let arguments: UnsafeRawPointer

    @export(implementation)
    @inline(__always)
    package init(header: UnsafePointer<RecordHeader>, arguments: UnsafeRawPointer) {
        unsafe self.header = unsafe header
        unsafe self.arguments = unsafe arguments
    }
}

extension Record {
    /// The same record without its decoded content: its header, and its arguments at the address.
    @export(implementation)
    @inline(__always)
    package func encoded(_ arguments: UnsafeRawPointer) -> EncodedRecord {
        unsafe EncodedRecord(header: place, arguments: arguments)
    }
}
