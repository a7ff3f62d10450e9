// SPDX-License-Identifier: Apache-2.0

/// The text of a second, as the records that share it are many exactly when their cost matters.
///
/// It lies in the buffer that formatters write to, and so belongs to the one who writes.
package struct SecondText {
    /// When the second begins, in nanoseconds since 1970.
    package var begin: UInt64 = 0
    /// Whether it is shown in the time zone of the system, else in UTC; nil where there is no text.
    package var isLocal: Bool?
    /// The words of the text, for the bytes from 0, 8 and 11 on: `2026-11-21T09:30:15`.
    package var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// The word of what follows the fraction in the time zone of the system: `+01:00`.
    package var zone: UInt64 = 0
}
