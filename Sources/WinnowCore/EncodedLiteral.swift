// SPDX-License-Identifier: Apache-2.0

/// A text that lives as long as the program, in one word: its address in bits 0…47 and its length
/// in bytes in bits 48…63.
@frozen
@usableFromInline
package struct EncodedLiteral: Sendable, Equatable {
    @usableFromInline package let word: UInt64

    @export(implementation)
    @inline(__always)
    package init(word: UInt64) {
        self.word = word
    }

    /// Refers to a text by its address: to at most its first 65,535 bytes, and to nothing if it has no
    /// address, as the compiler makes a text of a single scalar.
    @export(implementation)
    @inline(__always)
    package init(_ text: StaticString) {
        guard text.hasPointerRepresentation else {
            word = 0
            return
        }
        let count = text.utf8CodeUnitCount
        word = unsafe EncodedLiteral.word(text.utf8Start, count > 0xFFFF ? 0xFFFF : count)
    }

    @export(implementation)
    @inline(__always)
    static func word(_ address: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        UInt64(UInt(bitPattern: address)) | UInt64(count) &<< 48
    }

    /// The text.
    @export(implementation) package var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(word & 0xFFFF_FFFF_FFFF)),
            count: Int(word &>> 48)
        )
    }
}
