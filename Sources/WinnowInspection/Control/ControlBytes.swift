// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The parts of a control page.
extension ByteSource {
    /// Returns a part that begins with a number which is odd while the process writes the part: as it is when nobody
    /// does, or after a hundred attempts as it is.
    func settledBytes(
        at offset: UInt64,
        count: UInt64,
        of part: String
    ) throws(InspectionProblem) -> [UInt8] {
        var last = try bytes(at: offset, count: count, of: part)
        for _ in 0..<100 {
            let next = try bytes(at: offset, count: count, of: part)
            let isWritten = next.first.map { $0 % 2 != 0 } ?? false
            if !isWritten, next == last { return next }
            last = next
        }
        return last
    }
}

extension [UInt8] {
    /// The number in a field of the structure that the bytes are.
    func number<Structure, Number: FixedWidthInteger>(
        _ field: KeyPath<Structure, Number>
    ) -> Number {
        integer(at: MemoryLayout<Structure>.offset(of: field) ?? 0)
    }

    /// The text in a field of the structure that the bytes are: as many bytes as it has room for.
    func text<Structure, Room>(_ field: KeyPath<Structure, Room>, count: UInt32) -> String {
        let start = MemoryLayout<Structure>.offset(of: field) ?? 0
        let count = Swift.min(Int(clamping: count), MemoryLayout<Room>.size)
        return String(decoding: self[start..<start + count], as: UTF8.self)
    }
}
