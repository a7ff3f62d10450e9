// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A file descriptor that is closed exactly once.
package struct OwnedDescriptor: ~Copyable {
    package let rawValue: Int32

    /// Takes over the duty to close a descriptor.
    package init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Takes over what a C function returned: a descriptor, or a negated errno value.
    init(checking result: Int32) throws(SinkError) {
        guard result >= 0 else { throw SinkError(systemError: -result) }
        self.init(result)
    }

    deinit {
        _ = cwinnow_descriptor_close(rawValue)
    }

    /// Gives the duty to close back to the caller.
    package consuming func release() -> Int32 {
        let descriptor = rawValue
        discard self
        return descriptor
    }
}

/// The writes that a sink makes.
///
/// Each returns the bytes written, or a negated errno value.
enum DescriptorWrite {
    /// Writes to a file, a terminal or another device.
    @inline(__always)
    static func toFile(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        // SAFETY: write(2) reads the bytes and keeps no pointer.
        unsafe Int(cwinnow_descriptor_write(descriptor, bytes.baseAddress, bytes.count))
    }

    /// Writes to a file that has a greatest size; no SIGXFSZ reaches the program.
    @inline(never)
    static func toLimitedFile(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        // SAFETY: write(2) reads the bytes and keeps no pointer.
        unsafe Int(cwinnow_descriptor_write_limited(descriptor, bytes.baseAddress, bytes.count))
    }

    /// Writes to a pipe; no SIGPIPE reaches the program.
    static func toPipe(
        _ descriptor: Int32,
        _ bytes: borrowing ByteBuffer,
        from offset: Int,
        atMost limit: Int = .max
    ) -> Int {
        unsafe bytes.withRest(from: offset) { rest in
            // SAFETY: write(2) reads the bytes of the span and keeps no pointer.
            let count = min(rest.count, limit)
            return unsafe Int(cwinnow_descriptor_write_pipe(descriptor, rest.baseAddress, count))
        }
    }

    /// Sends to a socket, without waiting; no SIGPIPE reaches the program.
    static func toSocket(
        _ socket: Int32,
        _ bytes: borrowing ByteBuffer,
        from offset: Int,
        upTo end: Int = .max
    ) -> Int {
        unsafe bytes.withRest(from: offset) { rest in
            // SAFETY: send(2) reads the bytes of the span and keeps no pointer.
            let count = min(rest.count, end - offset)
            return unsafe Int(cwinnow_socket_send(socket, rest.baseAddress, count))
        }
    }
}

extension ByteBuffer {
    /// The bytes that a sink's buffer may keep from one record to the next.
    private static var keptByteCount: Int { 1 << 20 }

    /// Empties the buffer for the next record, and gives back memory that only a giant one needed.
    @inline(__always)
    mutating func prepare() {
        if count > Self.keptByteCount { giveBack() }
        removeAll()
    }

    @inline(never)
    private mutating func giveBack() {
        self = ByteBuffer(capacity: 1_024)
    }

    /// Calls the body with the bytes from the offset on, where C wants them; all of them without an end.
    @inline(__always)
    borrowing func withRest(
        from offset: Int,
        to end: Int? = nil,
        _ body: (UnsafeBufferPointer<UInt8>) -> Int
    ) -> Int {
        withBytes { bytes in
            unsafe bytes.extracting(offset..<(end ?? bytes.count))
                .withUnsafeBufferPointer(body)
        }
    }
}
