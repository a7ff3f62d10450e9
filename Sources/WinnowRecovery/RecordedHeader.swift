// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The header of a record in a file of which any byte may be wrong.
struct RecordedHeader {
    /// Where in a record the parts of its call's header lie: see `CallHeader`.
    private enum Offset {
        static let byteCount = RecordHeader.callOffset
        static let category = byteCount + 16, file = byteCount + 24, function = byteCount + 32
        static let place = byteCount + 40
    }

    /// The name of the category.
    let category: String
    private let literals: [(offset: Int, literal: EncodedLiteral)]

    /// Reads a header; nil unless the record has the size of its place, one of the eight levels, which stands there
    /// twice (see `StatementPlace`), and a category of the process.
    init?(at record: Range<Int>, in file: RecordedFile) {
        guard record.count > RecordHeader.byteCount else { return nil }
        func word(_ offset: Int) -> UInt64 { file.bytes.integer(at: record.lowerBound + offset) }
        let place = word(Offset.place)
        let (level, bit) = (place & 0xFF, place &>> UInt64(CWINNOW_CLOSER_SHIFT) & 0xFF)
        guard word(Offset.byteCount) == UInt64(record.count), level < 8, bit == 1 &<< level,
            let name = file.categories[word(Offset.category)]
        else { return nil }
        category = name
        literals = [Offset.file, Offset.function].map { ($0, EncodedLiteral(word: word($0))) }
    }

    /// Gives a copy of the record the category and the places in the source that it has in this process.
    func relocate(
        _ copy: UnsafeMutableRawBufferPointer,
        to cell: UnsafeMutablePointer<cwinnow_cell>,
        _ known: RecordedLiterals
    ) {
        unsafe copy.storeBytes(of: cell, toByteOffset: Offset.category, as: type(of: cell))
        for (offset, literal) in literals {
            let word = known.literal(for: literal).word
            unsafe copy.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        }
    }
}
