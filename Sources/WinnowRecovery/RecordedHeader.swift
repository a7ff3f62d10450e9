// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What the call of a record has written, in a file of which any byte may be wrong: see `CallHeader`.
struct RecordedHeader {
    /// Where its parts lie.
    private enum Offset {
        static let category = 16, file = 24, function = 32, place = 40
    }

    /// The name of the category.
    let category: String
    /// The raw value of the level.
    let level: Int
    private let literals: [(offset: Int, literal: EncodedLiteral)]

    /// Reads a header, all of whose bytes must be there; nil unless it has one of the eight levels, which stands there
    /// twice (see `StatementPlace`), and a category of the process.
    init?(at call: Int, in file: RecordedFile) {
        func word(_ offset: Int) -> UInt64 { file.bytes.integer(at: call + offset) }
        let place = word(Offset.place)
        let (level, bit) = (place & 0xFF, place &>> UInt64(CWINNOW_CLOSER_SHIFT) & 0xFF)
        guard level < 8, bit == 1 &<< level, let name = file.categories[word(Offset.category)]
        else { return nil }
        category = name
        self.level = Int(level)
        literals = [Offset.file, Offset.function].map { ($0, EncodedLiteral(word: word($0))) }
    }

    /// Gives a copy of the record the category and the places in the source that it has in this process.
    func relocate(
        _ copy: UnsafeMutableRawBufferPointer,
        to cell: UnsafeMutablePointer<cwinnow_cell>,
        _ known: RecordedLiterals
    ) {
        let call = RecordHeader.callOffset
        unsafe copy.storeBytes(
            of: cell,
            toByteOffset: call + Offset.category,
            as: type(of: cell)
        )
        for (offset, literal) in literals {
            let word = known.literal(for: literal).word
            unsafe copy.storeBytes(of: word, toByteOffset: call + offset, as: UInt64.self)
        }
    }
}
