// SPDX-License-Identifier: Apache-2.0

/// The text of a level and a category, as many records that follow each other share both.
///
/// It lies in the buffer that formatters write to, as ``SecondText`` does.
package struct LabelText {
    /// The address of the category's cell, which lives as long as the program; 0 where there is no text.
    package var category: UInt = 0
    /// The raw value of the level.
    package var level: UInt8 = 0
    /// The bytes of the text, of as many as the words have.
    package var count = 0
    package var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
}
