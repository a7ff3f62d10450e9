// SPDX-License-Identifier: Apache-2.0

/// A text in the control page.
enum ControlText {
    /// Copies what of a text has room, and returns the bytes of all of it.
    static func copy(
        _ text: String,
        to room: UnsafeMutablePointer<UInt8>,
        capacity: Int
    ) -> UInt32 {
        var text = text
        return text.withUTF8 { bytes in
            if let start = bytes.baseAddress {
                unsafe room.update(from: start, count: min(bytes.count, capacity))
            }
            return UInt32(clamping: bytes.count)
        }
    }
}
