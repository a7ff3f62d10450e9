// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

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
package enum DescriptorWrite {
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
    @inline(__always)
    static func toPipe(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        // SAFETY: pwritev2(2) reads the bytes and keeps no pointer.
        unsafe Int(cwinnow_descriptor_write_pipe(descriptor, bytes.baseAddress, bytes.count))
    }

    /// The same without waiting, also to one that may block; -EOPNOTSUPP where that cannot be had.
    @inline(never)
    static func toPipeAtOnce(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let count = bytes.count
        // SAFETY: pwritev2(2) reads the bytes and keeps no pointer.
        let start = bytes.baseAddress
        return unsafe Int(cwinnow_descriptor_write_pipe_at_once(descriptor, start, count))
    }

    /// Sends to a socket, without waiting; no SIGPIPE reaches the program.
    static func toSocket(_ socket: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        // SAFETY: send(2) reads the bytes and keeps no pointer.
        unsafe Int(cwinnow_socket_send(socket, bytes.baseAddress, bytes.count))
    }

    /// Sends a part of a buffer to a socket in the same way.
    package static func toSocket(
        _ socket: Int32,
        _ bytes: borrowing ByteBuffer,
        from offset: Int,
        upTo end: Int = .max
    ) -> Int {
        unsafe bytes.withRest(from: offset, to: min(end, bytes.count)) { rest in
            unsafe toSocket(socket, rest)
        }
    }
}

extension ByteBuffer {
    /// The bytes that a sink's buffer may keep from one record to the next.
    private static var keptByteCount: Int { 1 << 20 }

    /// Empties the buffer for the next record, and gives back memory that only a giant one needed.
    @inline(__always)
    package mutating func prepare() {
        if capacity > Self.keptByteCount { giveBack() }
        removeAll()
    }

    @inline(never)
    private mutating func giveBack() {
        self = ByteBuffer(capacity: 1_024)
    }

    /// Calls the body with the bytes from the offset on, where C wants them; all of them without an
    /// end.
    @inline(__always)
    package borrowing func withRest(
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
