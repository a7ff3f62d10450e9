// SPDX-License-Identifier: Apache-2.0

package import CWinnow

/// What may become a record, if it is let through.
@unsafe
package struct RecordCandidate {
    package let category: UnsafeMutablePointer<cwinnow_cell>
    /// The raw value of its level.
    package let level: UInt8
    /// The file of its statement, with the module; empty for what is no statement, which no rule is for.
    package let file: UnsafeRawBufferPointer
    package let line: UInt32
    /// The first literal of its message, in UTF-8; nil where it is not known yet.
    package let text: UnsafeRawBufferPointer?

    package init(
        category: UnsafeMutablePointer<cwinnow_cell>,
        level: UInt8,
        file: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0),
        line: UInt32 = 0,
        text: UnsafeRawBufferPointer? = nil
    ) {
        unsafe self.category = unsafe category
        unsafe self.level = level
        unsafe self.file = unsafe file
        unsafe self.line = line
        unsafe self.text = unsafe text
    }
}
