// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The connection to journald: an entry is one datagram, or one sealed memory file.
struct JournalSocket: ~Copyable {
    /// The send buffer to ask for, as libsystemd does; the system may grant less.
    private static let sendBufferSize: Int32 = 8 << 20
    /// The largest entry that goes as a datagram.
    ///
    /// The kernel wants most of a datagram in one piece of memory, and has no such large ones to
    /// rely on.
    private static let datagramByteCount = 256 << 10
    /// The largest entry; journald ignores one above 770 MiB, or with a field above 768 MiB.
    private static let entryByteCount = 768 << 20

    private var socket: LocalSocket

    init(path: String) {
        socket = LocalSocket(
            path: path,
            sendBufferSize: Self.sendBufferSize,
            allowsStream: false
        )
    }

    /// Sends one entry.
    mutating func send(_ entry: borrowing ByteBuffer) throws(SinkError) {
        if entry.count <= Self.datagramByteCount {
            do throws(SinkError) {
                return try sendDatagram(entry)
            } catch {
                // A system may grant a send buffer that is smaller than the entry.
                let isTooLarge =
                    error.systemError == EMSGSIZE
                    || error.systemError == ENOBUFS
                guard isTooLarge else { throw error }
            }
        }
        try sendFile(entry)
    }

    /// Ends the connection; the next entry makes a new one.
    mutating func disconnect() {
        socket.disconnect()
    }

    private mutating func sendDatagram(_ entry: borrowing ByteBuffer) throws(SinkError) {
        try socket.transmit { connection in
            Int32(-min(DescriptorWrite.toSocket(connection.descriptor, entry, from: 0), 0))
        }
    }

    /// Whether no file is to be had for this entry at any time, which would stand before all others for
    /// ever; else no descriptor or no memory is left now, which says nothing about it.
    private static func isForGood(_ error: Int32) -> Bool {
        switch error {
        case EFBIG, ENOSYS, EPERM, EACCES, EINVAL, ENOENT, ENOTDIR, EISDIR, EROFS, EOPNOTSUPP: true
        default: false
        }
    }

    private mutating func sendFile(_ entry: borrowing ByteBuffer) throws(SinkError) {
        guard entry.count <= Self.entryByteCount else {
            throw SinkError(.rejected, systemError: EFBIG)
        }
        let copy = unsafe entry.withRest(from: 0) { bytes in
            // SAFETY: the call copies the bytes and keeps no pointer.
            unsafe Int(
                cwinnow_descriptor_sealed_copy("winnow-entry", bytes.baseAddress, bytes.count)
            )
        }
        guard copy >= 0 else {
            let error = Int32(-copy)
            throw SinkError(Self.isForGood(error) ? .rejected : .failed, systemError: error)
        }
        let file = OwnedDescriptor(Int32(copy))
        try socket.transmit { connection in
            -cwinnow_socket_send_descriptor(connection.descriptor, file.rawValue)
        }
    }
}
