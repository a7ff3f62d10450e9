// SPDX-License-Identifier: Apache-2.0

extension ELFImage {
    /// The addresses at which functions begin, ascending, as the unwinder's index has them; none
    /// where there is no index.
    ///
    /// Unlike symbols they survive strip(1).
    ///
    /// Source: Linux Standard Base Core 5.0, section 10.6.2, "The .eh_frame_hdr section".
    func functionStarts() throws(InspectionProblem) -> [UInt64] {
        guard let section = sections.first(where: { $0.name == ".eh_frame_hdr" }) else { return [] }
        let bytes = try bytes(of: section)
        // The encodings that linkers write: four bytes each, relative to the section.
        guard bytes.count >= 12, bytes[0] == 1, bytes[2] == 0x03, bytes[3] == 0x3B else {
            return []
        }
        let count = min(Int(bytes.integer(at: 8, as: UInt32.self)), (bytes.count - 12) / 8)
        var starts = (0..<count).map { index in
            let offset: Int32 = bytes.integer(at: 12 + index * 8)
            return section.address &+ UInt64(bitPattern: Int64(offset))
        }
        starts.sort()
        return starts
    }
}
