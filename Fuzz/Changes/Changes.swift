// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What a fuzzer's input does to a control page: bytes that are written at some places.
///
/// Each change is the place in three bytes, from the beginning of the page, the number of its bytes, and these. A place
/// behind the end, and what is cut, begin again at the front: each input means something.
package struct Changes: Sequence, IteratorProtocol {
    package typealias Change = (place: Int, bytes: UnsafeRawBufferPointer)

    private var rest: UnsafeRawBufferPointer

    package init(_ input: UnsafeRawBufferPointer) {
        unsafe rest = input
    }

    package mutating func next() -> Change? {
        guard rest.count >= 4 else { return nil }
        let place = unsafe Int(rest[0]) | Int(rest[1]) << 8 | Int(rest[2]) << 16
        let count = unsafe min(Int(rest[3]), rest.count - 4)
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: rest[4..<4 + count])
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(4 + count)...])
        return unsafe (place % (Int(cwinnow_control_size) - count), bytes)
    }
}
