// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A descriptor that is open for writing, and the way in which a write to it does not wait.
struct OutputStream: ~Copyable {
    private enum Way {
        /// A file or a device: no wait that could be avoided.
        case plain
        /// A terminal of our own, non-blocking.
        case terminal
        /// A pipe of our own, non-blocking.
        case pipe
        /// A pipe or terminal that others share and that may block.
        case paced
        case socket
    }

    /// What a pipe that is ready for writing takes without waiting.
    ///
    /// Source: `PIPE_BUF` of pipe(7).
    private static let pipeByteCount = 4_096

    private let owned: OwnedDescriptor
    private let way: Way
    private let error: Int32

    var descriptor: Int32 { owned.rawValue }

    /// Opens the descriptor anew where it would block, or copies it.
    init(copying original: Int32) {
        let kind = Int(cwinnow_descriptor_kind(original))
        if kind == CWINNOW_KIND_PIPE || kind == CWINNOW_KIND_TERMINAL {
            let reopened = cwinnow_descriptor_reopen_nonblocking(original)
            if reopened >= 0 {
                owned = OwnedDescriptor(reopened)
                way = kind == CWINNOW_KIND_PIPE ? .pipe : .terminal
                error = 0
                return
            }
        }
        let copy = cwinnow_descriptor_copy(original)
        owned = OwnedDescriptor(max(copy, -1))
        error = copy < 0 ? -copy : 0
        way =
            switch kind {
            case CWINNOW_KIND_PIPE, CWINNOW_KIND_TERMINAL: .paced
            case CWINNOW_KIND_SOCKET: .socket
            default: .plain
            }
    }

    /// Writes bytes from the offset on; returns how many, or a negated errno value.
    func write(_ bytes: borrowing ByteBuffer, from offset: Int) -> Int {
        guard error == 0 else { return Int(-error) }
        switch way {
        case .plain: return DescriptorWrite.toFile(descriptor, bytes, from: offset)
        case .terminal: return DescriptorWrite.toDevice(descriptor, bytes, from: offset)
        case .pipe: return DescriptorWrite.toPipe(descriptor, bytes, from: offset)
        case .socket: return DescriptorWrite.toSocket(descriptor, bytes, from: offset)
        case .paced:
            guard cwinnow_descriptor_wait_writable(descriptor, 0) > 0 else {
                return Int(-SystemError.again)
            }
            return DescriptorWrite.toPipe(
                descriptor,
                bytes,
                from: offset,
                atMost: Self.pipeByteCount
            )
        }
    }

    /// Returns the error to throw for an errno value.
    func failure(_ systemError: Int32) -> SinkError {
        guard error == 0 else { return SinkError(.unavailable, systemError: error) }
        if way == .terminal, systemError == SystemError.inputOutput {
            // The terminal hung up: nobody is there to read.
            return SinkError(.unavailable, systemError: systemError)
        }
        return SinkError(systemError: systemError)
    }
}
