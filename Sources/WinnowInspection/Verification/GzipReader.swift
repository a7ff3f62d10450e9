// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// The content of a file that gzip(1), or Winnow with `compress=gzip`, has compressed.
@safe
final class GzipReader {
    /// What every such file begins with, whatever its name.
    ///
    /// Source: RFC 1952, section 2.3.1.
    private static let magic: [UInt8] = [0x1F, 0x8B]

    // SAFETY: the reader is this object's alone, and given back with it.
    private let reader: OpaquePointer

    /// Returns whether a file is such a one, by its first bytes.
    static func recognizes(_ head: [UInt8]) -> Bool { head.starts(with: magic) }

    /// Begins to read one.
    ///
    /// - Parameters:
    ///   - descriptor: The file, which stays its owner's.
    ///   - head: What was read of it already.
    /// - Throws: An ``InspectionProblem`` where there is no zlib.
    init(descriptor: Int32, head: [UInt8]) throws(InspectionProblem) {
        guard czlib_is_available() != 0 else {
            throw InspectionProblem(
                .unreadable,
                "is compressed, and libz.so.1, which reads it, cannot be loaded",
                "install zlib, or decompress the file with gzip -d"
            )
        }
        // SAFETY: the call copies the bytes.
        let result = unsafe head.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.flatMap {
                unsafe czlib_reader_open(descriptor, $0, bytes.count)
            }
        }
        guard let reader = unsafe result else {
            throw InspectionProblem(
                .unreadable,
                "cannot be decompressed (there is no memory)",
                "decompress the file with gzip -d"
            )
        }
        unsafe self.reader = unsafe reader
    }

    deinit {
        unsafe czlib_reader_close(reader)
    }

    /// Reads the next bytes into a buffer; returns how many, 0 at the end, or a negated errno value.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int64 {
        guard let start = buffer.baseAddress else { return 0 }
        // SAFETY: the call writes at most so many bytes, which the buffer has room for.
        return unsafe czlib_reader_next(reader, start, buffer.count)
    }
}
