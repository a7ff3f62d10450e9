// SPDX-License-Identifier: Apache-2.0

/// Where a text may be cut.
package enum TextCut {
    /// Returns the largest length up to the limit that splits no UTF-8 sequence.
    ///
    /// What is not UTF-8 is cut at the limit.
    package static func boundary(in bytes: Span<UInt8>, atMost limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        var cut = max(limit, 0)
        while cut > 0, limit - cut < 4, bytes[cut] & 0xC0 == 0x80 {
            cut -= 1
        }
        return bytes[cut] & 0xC0 != 0x80 ? cut : max(limit, 0)
    }

    /// Returns the smallest offset from the given one on that splits no UTF-8 sequence.
    ///
    /// What is not UTF-8 is cut at the offset.
    package static func boundary(in bytes: Span<UInt8>, atLeast offset: Int) -> Int {
        let end = min(offset + 4, bytes.count)
        let cut = (offset..<end).first { bytes[$0] & 0xC0 != 0x80 }
        return cut ?? (end == bytes.count ? end : offset)
    }
}
