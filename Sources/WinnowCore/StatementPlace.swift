// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// The line, the column and the level of a statement in one word, as the gate takes no more
/// arguments than there are registers, and a record has no room to waste.
@frozen
@usableFromInline
package struct StatementPlace: Sendable {
    @usableFromInline package let word: UInt64

    @export(implementation)
    @inline(__always)
    init(word: UInt64) {
        self.word = word
    }

    // The level in bits 0…7, the mark of a limit in 8, that of a text in 9, the column in 10…23, the bit of the level
    // in 24…31 (see `cwinnow_category_detour`), the line in 32…63.

    /// Packs the three; of a column beyond 16,383 the lower bits.
    @export(implementation)
    @inline(__always)
    package init(line: UInt32, column: UInt32, level: UInt8) {
        let place = UInt64(line) &<< 32 | UInt64(column & 0x3FFF) &<< 10
        let bit: UInt64 = 1 &<< (UInt64(CWINNOW_CLOSER_SHIFT) &+ UInt64(level))
        word = place | bit | UInt64(level)
    }

    @export(implementation) package var line: UInt32 {
        @inline(__always) get { UInt32(truncatingIfNeeded: word &>> 32) }
    }

    @export(implementation) package var column: UInt32 {
        @inline(__always) get { UInt32(truncatingIfNeeded: word &>> 10) & 0x3FFF }
    }

    @export(implementation) package var level: UInt8 {
        @inline(__always) get { UInt8(truncatingIfNeeded: word) }
    }

    /// What has a call of a category take the long way, as `cwinnow_category_detour`: 0 for nothing.
    @export(implementation)
    @inline(__always)
    package func detour(of category: UnsafeMutablePointer<cwinnow_cell>) -> UInt32 {
        unsafe cwinnow_category_detour(category, UInt32(truncatingIfNeeded: word))
    }
}

extension StatementPlace {
    /// Whether the statement has a rate limit, whose budget is found again by line and column.
    package var isLimited: Bool { word & 1 &<< 8 != 0 }

    /// Whether the text of the message decides if it is let through.
    package var isForText: Bool { word & 1 &<< 9 != 0 }

    /// Whether the end of the call has something to decide: one of the two.
    @export(implementation) package var isMarked: Bool {
        @inline(__always) get { word & 3 &<< 8 != 0 }
    }

    /// The place of a statement with a rate limit.
    package var limited: StatementPlace { StatementPlace(word: word | 1 &<< 8) }

    /// The place of a statement whose text decides.
    package var forText: StatementPlace { StatementPlace(word: word | 1 &<< 9) }

    /// The same in another line.
    @export(implementation) package func inLine(_ line: UInt32) -> StatementPlace {
        StatementPlace(word: word & 0xFFFF_FFFF | UInt64(line) &<< 32)
    }
}
