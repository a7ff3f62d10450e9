// SPDX-License-Identifier: Apache-2.0

/// The cached text of one second: many records share a second exactly when their cost matters.
///
/// It lies in the buffer that formatters write to, and so belongs to the one who writes. At first it is
/// the text of the first second of 1970.
package struct SecondText {
    /// When the second begins, in nanoseconds since 1970.
    package var begin: UInt64 = 0
    /// Whether it is shown in the time zone of the system, else in UTC.
    package var isLocal = false
    /// The words of the text, for the bytes from 0, 8 and 11 on: `2026-11-21T09:30:15`.
    package var words: (UInt64, UInt64, UInt64) = (
        0x2D31_302D_3037_3931, 0x54_3130, 0x3030_3A30_303A_3030
    )
    /// The word of what follows the fraction in the time zone of the system: `+01:00`.
    package var zone: UInt64 = 0
}
