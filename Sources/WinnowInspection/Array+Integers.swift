// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Returns the little-endian integer at an offset, which must be within the array.
    func integer<Integer: FixedWidthInteger>(
        at offset: Int,
        as type: Integer.Type = Integer.self
    ) -> Integer {
        var value: Integer = 0
        for index in (0..<Integer.bitWidth / 8).reversed() {
            value = value &<< 8 | Integer(truncatingIfNeeded: self[offset + index])
        }
        return value
    }

    /// Returns the text that begins at an offset and ends before the next zero.
    ///
    /// Nil where the offset is outside, or no zero follows.
    func text(at offset: Int) -> String? {
        guard offset < count, let end = self[offset...].firstIndex(of: 0) else { return nil }
        return String(decoding: self[offset..<end], as: UTF8.self)
    }
}
