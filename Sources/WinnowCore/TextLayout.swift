// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// How the standard library lays out a `String`, which the encoder reads without asking it.
///
/// The library's own access, `withContiguousStorageIfAvailable`, contains a call for a kind of text that
/// does not exist on Linux. Because of that call, the caller would save registers for each text: 20
/// instructions per log call.
package enum TextLayout {
    /// Checks the layout: the encoder relies on it if it is the known one, and else asks for each text.
    ///
    /// Before the first log call; more than once does no harm. MT-Safe.
    package static func learn() {
        let long = "a text that is too long to lie in a string itself"
        let samples = [
            "", "a", "8 bytes.", "15 of the bytes", "\u{E9}\u{20AC}\u{1F600}",
            "16 of the bytes.", long, "\(long) \u{20AC}",
        ]
        cwinnow_text_set_layout(samples.allSatisfy(isKnown))
    }

    /// Whether the words of a text say what the standard library says of it.
    ///
    /// It reads nothing at the address that they may hold.
    package static func isKnown(_ text: String) -> Bool {
        // SAFETY: of another size it is no text that is known.
        guard MemoryLayout<String>.size == MemoryLayout<cwinnow_text>.size else { return false }
        let words = words(of: text)
        let isKnown = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            if cwinnow_text_is_small(words) {
                let count = cwinnow_text_small_count(words)
                let own = [cwinnow_text_small_low(words), cwinnow_text_small_high(words)]
                return unsafe own.withUnsafeBytes { own in
                    unsafe bytes.count == count && bytes.elementsEqual(own.prefix(count))
                }
            }
            return unsafe cwinnow_text_is_native(words)
                && cwinnow_text_count(words) == bytes.count
                && cwinnow_text_bytes(words) == bytes.baseAddress
        }
        return isKnown ?? false
    }

    /// The words of a text, which are valid as long as it lives.
    @inline(__always)
    static func words(of text: String) -> cwinnow_text {
        // SAFETY: both are two words; ``isKnown(_:)`` has looked whether they are what we take them
        // for.
        unsafe unsafeBitCast(text, to: cwinnow_text.self)
    }
}
