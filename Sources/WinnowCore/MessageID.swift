// SPDX-License-Identifier: Apache-2.0

/// The identifier of a kind of message, with which `journalctl -x` finds its entry in a catalog.
///
/// 128 bits as 32 lower-case hexadecimal digits; dashes are removed and letters made lower-case, so a
/// UUID may be written as `uuidgen` prints it.
///
/// A value: MT-Safe, AS-Unsafe heap.
///
/// Source: systemd.journal-fields(7), `MESSAGE_ID`; journalctl(1), `--new-id128`.
public struct MessageID: Sendable, Hashable, ExpressibleByStringLiteral {
    package let text: String

    /// Creates an identifier from its digits.
    public init(stringLiteral value: String) {
        text = value.filter { $0 != "-" }.lowercased()
    }
}
