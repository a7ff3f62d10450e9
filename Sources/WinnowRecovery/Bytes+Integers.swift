// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection<UInt8> where Index == Int {
    /// The integer at an index, in the order of the machine; all of its bytes must be there.
    func integer<Integer: FixedWidthInteger>(at index: Int) -> Integer {
        var value: Integer = 0
        for offset in (0..<Integer.bitWidth / 8).reversed() {
            value = value &<< 8 | Integer(truncatingIfNeeded: self[index + offset])
        }
        return Integer(littleEndian: value)
    }

    /// The number in a field of the structure that begins at an index.
    func number<Structure, Number: FixedWidthInteger>(
        _ field: KeyPath<Structure, Number>,
        at index: Int
    ) -> Number {
        integer(at: index + (MemoryLayout<Structure>.offset(of: field) ?? 0))
    }
}
