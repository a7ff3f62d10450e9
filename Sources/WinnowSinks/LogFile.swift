// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A file that is open for appending, and follows its path.
struct LogFile: ~Copyable {
    /// How often, at most, the path is compared with the file that is open.
    ///
    /// lstat(2) with each record would cost as much as the write itself.
    private static let lookNanoseconds: UInt64 = 100_000_000

    private struct Identity: Equatable {
        var device: UInt64 = 0
        var inode: UInt64 = 0
    }

    private let path: String
    private let mode: UInt32
    private var descriptor: OwnedDescriptor
    private var identity: Identity
    /// The process that opened the file: a child opens its own, as the two would share a position.
    private var process: Int32
    private var nextLook: UInt64
    private var wasMissing = false
    private var isTorn = false
    private var sizeLimit = FileSizeLimit()
    /// The time of the record that is being written.
    private var now: UInt64 = 0

    init(path: String, mode: UInt32) throws(SinkError) {
        self.path = path
        self.mode = mode
        descriptor = try Self.open(path, mode)
        identity = Self.identity(of: descriptor.rawValue)
        process = cwinnow_process_id()
        nextLook = cwinnow_clock_monotonic() + Self.lookNanoseconds
    }

    /// Whether the last bytes of the file are a piece of a record of ours.
    var endsInTornRecord: Bool {
        isTorn && cwinnow_descriptor_size(descriptor.rawValue) != 0
    }

    /// Opens the path anew; stays with the file that is open where that fails.
    mutating func reopen() throws(SinkError) {
        process = cwinnow_process_id()
        wasMissing = false
        sizeLimit.forget()
        let opened = try Self.open(path, mode)
        let newIdentity = Self.identity(of: opened.rawValue)
        if newIdentity != identity { isTorn = false }
        identity = newIdentity
        descriptor = opened
    }

    /// Opens the path anew where another file stands there by now, or none.
    mutating func follow() throws(SinkError) {
        guard descriptor.rawValue >= 0 else { return try reopen() }
        now = cwinnow_clock_monotonic()
        let isChild = process != cwinnow_process_id()
        guard isChild || now >= nextLook else { return }
        nextLook = now + Self.lookNanoseconds
        guard isChild || needsReopening() else { return }
        // A file that was moved is still a better place than none.
        do { try reopen() } catch {}
    }

    /// Appends the bytes, all of them or, where it can be helped, none.
    mutating func append(_ bytes: borrowing ByteBuffer) throws(SinkError) {
        var written = 0
        var range: Range<Int64>?
        while written < bytes.count {
            let result = sizeLimit.write(descriptor.rawValue, bytes, from: written, at: now)
            guard result > 0 else {
                if written > 0 { takeBack(range) }
                throw failure(Int32(-result))
            }
            // Only a short write asks where its bytes are.
            if written > 0 || result < bytes.count {
                range = extend(range, by: result, isFirst: written == 0)
            }
            written += result
        }
        isTorn = false
    }

    /// Returns where our bytes stand, after a write of some more; nil where others lie in between.
    private func extend(_ range: Range<Int64>?, by count: Int, isFirst: Bool) -> Range<Int64>? {
        let end = cwinnow_descriptor_position(descriptor.rawValue)
        let start = end - Int64(count)
        guard start >= 0 else { return nil }
        if isFirst { return start..<end }
        guard let range, range.upperBound == start else { return nil }
        return range.lowerBound..<end
    }

    private mutating func takeBack(_ range: Range<Int64>?) {
        let wasTorn = isTorn
        isTorn = true
        guard let range else { return }
        let status = cwinnow_descriptor_take_back(
            descriptor.rawValue,
            UInt64(range.lowerBound),
            UInt64(range.upperBound)
        )
        if status == 0 { isTorn = wasTorn }
    }

    private mutating func failure(_ error: Int32) -> SinkError {
        if error == ESTALE || error == EBADF {
            // The next record opens the path anew.
            var old = OwnedDescriptor(-1)
            swap(&old, &descriptor)
            // The program has closed our descriptor; what has the number now is not ours to close.
            if SystemError.isForeign(error) { _ = old.release() }
        }
        return SinkError(systemError: error == 0 ? EIO : error)
    }

    private mutating func needsReopening() -> Bool {
        var found = Identity()
        // SAFETY: lstat(2) reads the path, and keeps no pointer.
        let status = unsafe cwinnow_path_identity(path, &found.device, &found.inode)
        guard status != 0 else {
            wasMissing = false
            return found != identity
        }
        let isDeleted = cwinnow_descriptor_links(descriptor.rawValue) == 0
        defer { wasMissing = true }
        return isDeleted || wasMissing
    }

    private static func open(_ path: String, _ mode: UInt32) throws(SinkError) -> OwnedDescriptor {
        // SAFETY: open(2) reads the path, and keeps no pointer to it.
        try OwnedDescriptor(checking: unsafe cwinnow_descriptor_open_append(path, mode))
    }

    private static func identity(of descriptor: Int32) -> Identity {
        var identity = Identity()
        // SAFETY: fstat(2) fills in both numbers.
        _ = unsafe cwinnow_descriptor_identity(descriptor, &identity.device, &identity.inode)
        return identity
    }
}
