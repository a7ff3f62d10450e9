// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// What is known of the category of a cell.
extension UnsafeMutablePointer<cwinnow_cell> {
    /// The name in UTF-8, for as long as the program runs.
    @export(implementation) package var name: UnsafeBufferPointer<UInt8> {
        let category = unsafe cwinnow_category_of(self)
        return unsafe UnsafeBufferPointer(
            start: category.pointee.name,
            count: Int(category.pointee.name_length)
        )
    }

    /// What stands for the category in a line, where that is known: see `cwinnow_category`.
    @export(implementation) package var column: UnsafeBufferPointer<UInt8>? {
        @inline(__always) get {
            let category = unsafe cwinnow_category_of(self)
            let length = unsafe category.pointee.column_length
            guard length != UInt32(CWINNOW_NO_COLUMN) else { return nil }
            return unsafe UnsafeBufferPointer(
                start: category.pointee.name.map { unsafe $0 - 1 },
                count: Int(length)
            )
        }
    }
}
