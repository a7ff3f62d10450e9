// SPDX-License-Identifier: Apache-2.0

internal import CWinnowInspection
internal import WinnowCore

/// Where the bytes of a program come from: a file, or an array in a test.
package protocol ByteSource {
    /// The number of bytes.
    var size: UInt64 { get }

    /// Returns exactly so many bytes; the range has been tested against ``size``.
    func read(at offset: UInt64, count: Int) throws(InspectionProblem) -> [UInt8]
}

/// The bytes of a part that are read at once at most, 1 GiB: no program has longer symbols or names.
///
/// The size of the file is no bound: a sparse one costs nothing, and says 4 TiB.
private let greatestByteCount: UInt64 = 1 << 30

extension ByteSource {
    /// Returns exactly so many bytes, or throws where they are not all there.
    ///
    /// - Parameters:
    ///   - offset: Where they begin.
    ///   - count: Their number.
    ///   - part: What is read, for the words of the problem.
    ///   - limit: The number from which on no linker has written them.
    /// - Returns: The bytes.
    /// - Throws: `InspectionProblem` of a damaged file.
    func bytes(
        at offset: UInt64,
        count: UInt64,
        of part: @autoclosure () -> String,
        limit: UInt64 = greatestByteCount
    ) throws(InspectionProblem) -> [UInt8] {
        guard offset <= size, count <= size - offset else { throw .truncated(part()) }
        guard count <= limit, let count = Int(exactly: count) else { throw .oversized(part()) }
        return try read(at: offset, count: count)
    }
}

extension [UInt8]: ByteSource {
    package var size: UInt64 { UInt64(count) }

    package func read(at offset: UInt64, count: Int) throws(InspectionProblem) -> [UInt8] {
        Array(self[Int(offset)..<Int(offset) + count])
    }
}

/// A file of which only what is needed is read, however large it is.
///
/// It is not mapped: a file that is cut meanwhile is an error and not a signal.
package final class ProgramFile: ByteSource {
    package let size: UInt64
    private let descriptor: Int32

    /// Opens a file.
    package init(path: String) throws(InspectionProblem) {
        var size: UInt64 = 0
        // SAFETY: the call keeps neither pointer.
        let result = unsafe path.withCString { unsafe cwinnow_inspection_open($0, &size) }
        guard result >= 0 else {
            throw InspectionProblem(
                .unreadable,
                "cannot be read (\(systemErrorText(-result)))",
                "give the path of a program that you may read, such as .build/release/NAME"
            )
        }
        descriptor = result
        self.size = size
    }

    deinit {
        cwinnow_inspection_close(descriptor)
    }

    package func read(at offset: UInt64, count: Int) throws(InspectionProblem) -> [UInt8] {
        var result: Int64 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            // SAFETY: the call writes at most `count` bytes, which the buffer has room for.
            result = unsafe cwinnow_inspection_read(descriptor, offset, start, count)
            filled = max(Int(result), 0)
        }
        guard result >= 0 else {
            throw InspectionProblem(
                .unreadable,
                "cannot be read (\(systemErrorText(Int32(-result))))",
                "try again, or copy the program to another disk"
            )
        }
        guard bytes.count == count else { throw .truncated("what was there a moment ago") }
        return bytes
    }
}
