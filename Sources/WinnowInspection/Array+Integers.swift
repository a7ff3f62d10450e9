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
    /// Nil where the offset is outside, or no zero follows within the limit: many offsets may lead
    /// into one long text, and each of them would make a copy of it.
    ///
    /// - Parameters:
    ///   - offset: Where the text begins.
    ///   - limit: The greatest number of its bytes.
    /// - Returns: The text.
    func text(at offset: Int, limit: Int) -> String? {
        guard offset < count else { return nil }
        let rest = self[offset...].prefix(limit + 1)
        guard let end = rest.firstIndex(of: 0) else { return nil }
        return String(decoding: self[offset..<end], as: UTF8.self)
    }
}
