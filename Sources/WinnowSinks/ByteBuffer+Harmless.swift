// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

extension ByteBuffer {
    /// Appends a text with its control characters and what is not UTF-8 made visible.
    ///
    /// As ``Escaping/line`` writes it, but for tabs, and line feeds where they are kept: a value
    /// of the journal may hold both.
    ///
    /// Source: specs study, section 7.2.
    package mutating func appendHarmless(
        _ bytes: UnsafeRawBufferPointer,
        keepingLineBreaks: Bool
    ) {
        // SAFETY: the bytes are lent for the length of the call.
        let text = unsafe bytes.assumingMemoryBound(to: UInt8.self).span
        var start = 0
        for index in text.indices {
            let byte = text[index]
            guard byte == 0x09 || (byte == 0x0A && keepingLineBreaks) else { continue }
            append(text.extracting(start..<index), escaping: .line)
            append(byte)
            start = index + 1
        }
        append(text.extracting(start...), escaping: .line)
    }
}
