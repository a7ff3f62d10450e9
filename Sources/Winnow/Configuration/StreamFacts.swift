// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What the process knows of one of its standard streams.
package struct StreamFacts: Sendable {
    /// The value of `JOURNAL_STREAM`: `device:inode` in decimal digits.
    package var journalStream: String?
    /// The device of the descriptor; nil where it is closed.
    package var device: UInt64?
    /// The inode of the descriptor; nil where it is closed.
    package var inode: UInt64?
    /// Whether the other end of the descriptor is a socket of journald's.
    package var peerIsJournal = false
    package var isTerminal = false
    /// The value of `TERM`.
    package var terminalType: String?

    package init() {}

    /// Asks the system, and the environment for what it says of the descriptor.
    ///
    /// Of a descriptor that a redirect has captured, it is where it led before. MT-Safe env, AS-Unsafe
    /// heap.
    package init(of stream: StandardStream, in environment: Environment) {
        let descriptor = cwinnow_descriptor_original(stream.descriptor)
        journalStream = environment["JOURNAL_STREAM"]
        var device: UInt64 = 0
        var inode: UInt64 = 0
        if unsafe cwinnow_descriptor_identity(descriptor, &device, &inode) == 0 {
            self.device = device
            self.inode = inode
        }
        peerIsJournal = cwinnow_descriptor_peer_is_journal(descriptor)
        isTerminal = cwinnow_descriptor_is_terminal(descriptor)
        terminalType = environment["TERM"]
    }

    /// Whether the journal reads what is written to the descriptor.
    ///
    /// `JOURNAL_STREAM` alone says nothing: a child inherits it with a descriptor of its own.
    ///
    /// Source: systemd.exec(5), `$JOURNAL_STREAM`; GLib, `g_log_writer_is_journald()`.
    package var isJournal: Bool {
        if peerIsJournal { return true }
        guard let journalStream, let device, let inode else { return false }
        return journalStream == "\(device):\(inode)"
    }

    /// Whether text in the given color mode is colored here.
    package func isColored(_ color: Winnow.Color) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto: isTerminal && terminalType != "dumb"
        }
    }

    /// Whether both lead to one place, as behind `2>&1`.
    package func leads(whereDoes other: StreamFacts) -> Bool {
        device != nil && device == other.device && inode == other.inode
    }
}
