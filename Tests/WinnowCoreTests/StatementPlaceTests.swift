// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

/// The place of a statement in one word.
struct StatementPlaceTests {
    @Test(
        arguments: [
            (line: 0, column: 0, level: 0),
            (line: 1, column: 2, level: 3),
            (line: UInt32.max, column: 0x3FFF, level: 7),
        ] as [(line: UInt32, column: UInt32, level: UInt8)]
    )
    func `all three come out as they went in`(line: UInt32, column: UInt32, level: UInt8) {
        let place = StatementPlace(line: line, column: column, level: level)
        #expect(place.line == line && place.column == column && place.level == level)
        #expect(!place.isLimited && !place.isForText && !place.isMarked)
        let limited = place.limited
        #expect(limited.isLimited && !limited.isForText && limited.isMarked)
        let forText = place.forText
        #expect(forText.isForText && !forText.isLimited && forText.isMarked)
        #expect(forText.line == line && forText.column == column && forText.level == level)
        #expect(limited.line == line && limited.column == column && limited.level == level)
        let moved = limited.inLine(77)
        #expect(moved.line == 77 && moved.column == column && moved.level == level)
        #expect(moved.isLimited)
    }

    @Test
    func `a column beyond what fits is cut and touches nothing else`() {
        let place = StatementPlace(line: 9, column: .max, level: 2)
        #expect(place.line == 9 && place.column == 0x3FFF && place.level == 2)
        #expect(!place.isMarked)
    }
}
