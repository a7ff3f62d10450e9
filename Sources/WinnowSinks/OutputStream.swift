// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A descriptor that is open for writing, and the way in which a write to it does not wait.
///
/// What the program opens under the number of one that it has closed is not written to: that is seen at
/// the first record of a child, and within 100 ms elsewhere.
struct OutputStream: ~Copyable {
    private enum Way {
        case file
        /// A device that does not wait, or a terminal of our own, non-blocking.
        case device
        /// A pipe of our own, non-blocking.
        case pipe
        /// A pipe that others share and that may block, where the kernel can be asked not to wait.
        case sharedPipe
        /// A pipe or terminal that others share and that may block.
        case paced
        case socket
        /// A file or a device by the caller's own descriptor.
        case borrowed
        /// A descriptor that was not open.
        case absent
    }

    /// What a pipe that is ready for writing takes without waiting.
    ///
    /// Source: `PIPE_BUF` of pipe(7).
    private static let pipeByteCount = 4_096

    /// The sizes in bytes that a pipe with a late reader gets: first half of the maximum, for records, then
    /// all of it, for the report of those that found no room.
    ///
    /// Source: pipe(7), `pipe-max-size`.
    private static let grownByteCounts: [Int32] = [512 * 1_024, 1_024 * 1_024]

    /// What is copied: the caller's descriptor.
    private let source: Int32
    private var owned: OwnedDescriptor
    let identity: FileIdentity
    private var way: Way
    private let isTerminal: Bool
    private var error: Int32
    private var sizeLimit = FileSizeLimit()
    private var lookTime = LookTime()
    /// The process that looked last: a daemon's child closes what it has not opened.
    private var process = cwinnow_process_id()
    /// Whether there was no descriptor left for a copy, and the caller's is written to until there is.
    private var isBorrowing = false

    var descriptor: Int32 {
        isBorrowing ? cwinnow_descriptor_original(source) : owned.rawValue
    }

    /// Opens the descriptor anew where it would block, or copies it.
    ///
    /// If the system has no descriptor left for that, the caller's is written to, for as long as it leads to
    /// the same place, and each look tries again.
    init(copying descriptor: Int32) {
        source = descriptor
        let original = cwinnow_descriptor_original(descriptor)
        let kind = Int(cwinnow_descriptor_kind(original))
        isTerminal = kind == CWINNOW_KIND_TERMINAL
        if kind == CWINNOW_KIND_PIPE || kind == CWINNOW_KIND_TERMINAL {
            let reopened = cwinnow_descriptor_reopen_nonblocking(original)
            if reopened >= 0 {
                owned = OwnedDescriptor(reopened)
                identity = FileIdentity(of: reopened)
                way = isTerminal ? .device : .pipe
                error = 0
                return
            }
        }
        let copy = kind < 0 ? Int32(kind) : cwinnow_descriptor_copy(original)
        owned = OwnedDescriptor(max(copy, -1))
        isBorrowing = kind >= 0 && copy < 0
        identity = FileIdentity(of: isBorrowing ? original : copy)
        error = copy < 0 && !isBorrowing ? -copy : 0
        way =
            switch kind {
            case _ where error != 0: .absent
            case CWINNOW_KIND_PIPE: .sharedPipe
            case CWINNOW_KIND_TERMINAL: .paced
            case CWINNOW_KIND_SOCKET: .socket
            case _ where isBorrowing: .borrowed
            case CWINNOW_KIND_FILE: .file
            default: .device
            }
    }

    /// Looks at what may have changed.
    ///
    /// - Parameter now: The time, in nanoseconds since 1970; 0 where it was not read.
    @inline(__always)
    mutating func follow(at now: UInt64) {
        let now = now == 0 ? cwinnow_clock_coarse() : now
        guard lookTime.isOver(at: now) || process != cwinnow_process_id() else { return }
        look(at: now)
    }

    @inline(never)
    private mutating func look(at now: UInt64) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        process = cwinnow_process_id()
        if isBorrowing || FileIdentity(of: descriptor) != identity { leaveForeignFile() }
        lookTime.begin(at: now)
        if way == .file { sizeLimit.look() }
    }

    /// Leaves what the program has opened under our number, as after closefrom(3), as it is; copies the
    /// caller's descriptor anew where that still leads to where ours did.
    private mutating func leaveForeignFile() {
        var foreign = OwnedDescriptor(-1)
        swap(&foreign, &owned)
        _ = foreign.release()
        guard FileIdentity(of: cwinnow_descriptor_original(source)) == identity else {
            way = .absent
            error = EBADF
            isBorrowing = false
            return
        }
        self = OutputStream(copying: source)
    }

    /// Closes the descriptor; the next record copies the caller's anew, where that still leads to where
    /// ours did.
    mutating func close() {
        if FileIdentity(of: descriptor) != identity { leaveForeignFile() }
        owned = OwnedDescriptor(-1)
        isBorrowing = false
        lookTime.end()
    }

    /// Writes bytes once; returns how many, or a negated errno value.
    ///
    /// What standard error mostly is, is written to within the caller: see `CWinnowWrite.h`.
    @inline(__always)
    mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        switch way {
        case .file: unsafe sizeLimit.write(owned.rawValue, bytes)
        case .device: unsafe DescriptorWrite.toFile(owned.rawValue, bytes)
        case .pipe: unsafe DescriptorWrite.toPipe(owned.rawValue, bytes)
        case .sharedPipe, .paced, .socket, .borrowed, .absent: unsafe writeOtherwise(bytes)
        }
    }

    @inline(never)
    private mutating func writeOtherwise(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard error == 0 else { return Int(-error) }
        // A socket would take no bytes for a datagram of none.
        guard bytes.count > 0 else { return 0 }
        let descriptor = descriptor
        // The caller may have opened something else under its number since the last look.
        if isBorrowing, FileIdentity(of: descriptor) != identity { return Int(-EBADF) }
        if way == .borrowed { return unsafe DescriptorWrite.toLimitedFile(descriptor, bytes) }
        guard way != .socket else { return unsafe DescriptorWrite.toSocket(descriptor, bytes) }
        if way == .sharedPipe {
            let result = unsafe DescriptorWrite.toPipeAtOnce(descriptor, bytes)
            if result != -EOPNOTSUPP { return result }
            way = .paced
        }
        guard cwinnow_descriptor_wait_writable(descriptor, 0) > 0 else { return Int(-EAGAIN) }
        let piece = bytes.extracting(..<min(bytes.count, Self.pipeByteCount))
        return unsafe DescriptorWrite.toPipe(descriptor, piece)
    }

    /// Whether it is a pipe without a name and without a reader, which nobody can open any more.
    var isGone: Bool { cwinnow_descriptor_is_abandoned_pipe(descriptor) }

    /// Gives a pipe more room whose reader is late, as a pager is; where that cannot be, it stays as it is.
    func makeRoom() {
        // One that has as much is given the next size.
        _ = Self.grownByteCounts.contains {
            cwinnow_descriptor_grow_pipe(descriptor, $0) != -ENOSPC
        }
    }

    /// Returns the error to throw for an errno value.
    func failure(_ systemError: Int32) -> SinkError {
        guard error == 0 else { return SinkError(.unavailable, systemError: error) }
        if isTerminal, systemError == EIO {
            // The terminal hung up: nobody is there to read.
            return SinkError(.unavailable, systemError: systemError)
        }
        return SinkError(systemError: systemError)
    }
}
