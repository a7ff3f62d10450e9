// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Whether the process has a RLIMIT_FSIZE, which makes a write to a file raise SIGXFSZ.
///
/// To keep the signal away costs more than the write, and to ask half of it; so the process is
/// asked now and then, by who knows when: see ``LookTime``. A limit is usually there from the
/// start.
struct FileSizeLimit {
    private enum Knowledge {
        case unknown, absent, set
    }

    private var state = Knowledge.unknown

    /// Asks the process.
    mutating func look() {
        state = cwinnow_descriptor_has_size_limit() ? .set : .absent
    }

    /// Asks with the next write.
    mutating func forget() {
        state = .unknown
    }

    /// Writes to a file, and keeps SIGXFSZ away where it can come.
    @inline(__always)
    mutating func write(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        unsafe state == .absent
            ? DescriptorWrite.toFile(descriptor, bytes) : writeLimited(descriptor, bytes)
    }

    @inline(never)
    private mutating func writeLimited(
        _ descriptor: Int32,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        if state == .unknown { look() }
        return unsafe state == .set
            ? DescriptorWrite.toLimitedFile(descriptor, bytes)
            : DescriptorWrite.toFile(descriptor, bytes)
    }
}
