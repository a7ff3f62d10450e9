// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A descriptor that is open for writing, and the way in which a write to it does not wait.
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
        /// A descriptor that was not open.
        case absent
    }

    /// What a pipe that is ready for writing takes without waiting.
    ///
    /// Source: `PIPE_BUF` of pipe(7).
    private static let pipeByteCount = 4_096

    private let owned: OwnedDescriptor
    private var way: Way
    private let isTerminal: Bool
    private let error: Int32
    private var sizeLimit = FileSizeLimit()
    private var lookTime = LookTime()

    var descriptor: Int32 { owned.rawValue }

    /// Opens the descriptor anew where it would block, or copies it.
    init(copying descriptor: Int32) {
        let original = cwinnow_descriptor_original(descriptor)
        let kind = Int(cwinnow_descriptor_kind(original))
        isTerminal = kind == CWINNOW_KIND_TERMINAL
        if kind == CWINNOW_KIND_PIPE || kind == CWINNOW_KIND_TERMINAL {
            let reopened = cwinnow_descriptor_reopen_nonblocking(original)
            if reopened >= 0 {
                owned = OwnedDescriptor(reopened)
                way = isTerminal ? .device : .pipe
                error = 0
                return
            }
        }
        let copy = cwinnow_descriptor_copy(original)
        owned = OwnedDescriptor(max(copy, -1))
        error = copy < 0 ? -copy : 0
        way =
            switch kind {
            case _ where copy < 0: .absent
            case CWINNOW_KIND_PIPE: .sharedPipe
            case CWINNOW_KIND_TERMINAL: .paced
            case CWINNOW_KIND_SOCKET: .socket
            case CWINNOW_KIND_FILE: .file
            default: .device
            }
    }

    /// Looks at what may have changed.
    ///
    /// - Parameter now: The time, in nanoseconds since 1970; 0 where it was not read.
    @inline(__always)
    mutating func follow(at now: UInt64) {
        guard way == .file else { return }
        let now = now == 0 ? cwinnow_clock_coarse() : now
        guard lookTime.isOver(at: now) else { return }
        lookTime.begin(at: now)
        sizeLimit.look()
    }

    /// Writes bytes once; returns how many, or a negated errno value.
    ///
    /// What standard error mostly is, is written to within the caller: see `CWinnowWrite.h`.
    @inline(__always)
    mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        switch way {
        case .file: unsafe sizeLimit.write(descriptor, bytes)
        case .device: unsafe DescriptorWrite.toFile(descriptor, bytes)
        case .pipe: unsafe DescriptorWrite.toPipe(descriptor, bytes)
        case .sharedPipe, .paced, .socket, .absent: unsafe writeOtherwise(bytes)
        }
    }

    @inline(never)
    private mutating func writeOtherwise(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard error == 0 else { return Int(-error) }
        // A socket would take no bytes for a datagram of none.
        guard bytes.count > 0 else { return 0 }
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
