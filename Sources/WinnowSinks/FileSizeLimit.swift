// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Whether the process has a RLIMIT_FSIZE, which makes a write to a file raise SIGXFSZ.
///
/// To keep the signal away costs more than the write, and to ask half of it; so the process is asked
/// every 90 ms at most, by a clock that may be 10 ms behind. A limit is usually there from the start.
struct FileSizeLimit {
    private static let lookNanoseconds: UInt64 = 90_000_000

    private var isSet = true
    private var nextLook: UInt64 = 0

    /// Asks again with the next write.
    mutating func forget() {
        nextLook = 0
    }

    /// Writes to a file, and keeps SIGXFSZ away where it can come.
    @inline(__always)
    mutating func write(
        _ descriptor: Int32,
        _ bytes: UnsafeBufferPointer<UInt8>,
        at now: UInt64
    ) -> Int {
        if now >= nextLook { look(at: now) }
        return unsafe isSet
            ? DescriptorWrite.toLimitedFile(descriptor, bytes)
            : DescriptorWrite.toFile(descriptor, bytes)
    }

    @inline(never)
    private mutating func look(at now: UInt64) {
        isSet = cwinnow_descriptor_has_size_limit()
        nextLook = now + Self.lookNanoseconds
    }
}
