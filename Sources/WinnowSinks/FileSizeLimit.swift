// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Whether the process has a RLIMIT_FSIZE, which makes a write to a file raise SIGXFSZ.
///
/// To keep the signal away costs more than the write, and to ask half of it; so the process is asked
/// every 100 ms at most. A limit is usually there from the start.
struct FileSizeLimit {
    private static let lookNanoseconds: UInt64 = 100_000_000

    private var isSet = true
    private var nextLook: UInt64 = 0

    /// Asks again with the next write.
    mutating func forget() {
        nextLook = 0
    }

    /// Writes to a file, and keeps SIGXFSZ away where it can come.
    mutating func write(
        _ descriptor: Int32,
        _ bytes: borrowing ByteBuffer,
        from offset: Int,
        at now: UInt64
    ) -> Int {
        if now >= nextLook {
            isSet = cwinnow_descriptor_has_size_limit()
            nextLook = now + Self.lookNanoseconds
        }
        return isSet
            ? DescriptorWrite.toLimitedFile(descriptor, bytes, from: offset)
            : DescriptorWrite.toFile(descriptor, bytes, from: offset)
    }
}
