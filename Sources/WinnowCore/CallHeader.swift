// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// What a log call writes in front of its arguments: what is known when it begins.
///
/// Records are stored in a ring in this form. It is as short as possible, because each cache line that
/// the thread writes and the worker reads costs more than a dozen instructions.
@frozen
@safe
@usableFromInline
package struct CallHeader {
    /// The bytes that are kept for it in front of the arguments.
    @usableFromInline package static var byteCount: Int {
        @export(implementation) @inline(__always) get { Int(CWINNOW_CALL_HEADER_BYTES) }
    }

    // CWinnowRing.h writes the first two, and relies on where they are.
    /// In a ring, the size of the record in bytes and its kind; in a completed header, the size of the whole
    /// record outside of a ring.
    @usableFromInline package var ringWord: UInt64 = 0
    /// When the record was logged: see CWinnowStamp.h.
    @usableFromInline package var stamp: UInt64 = 0
    @usableFromInline package var category: UnsafeMutablePointer<cwinnow_cell>
    @usableFromInline package var file: EncodedLiteral
    @usableFromInline package var function: EncodedLiteral
    @usableFromInline package var place: StatementPlace

    init(
        category: UnsafeMutablePointer<cwinnow_cell>,
        file: EncodedLiteral,
        function: EncodedLiteral,
        place: StatementPlace
    ) {
        unsafe self.category = unsafe category
        self.file = file
        self.function = function
        self.place = place
    }
}
