// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// Creates the number that decimal digits mean; nil where there are none, other characters, or more than an
    /// `Int` holds.
    ///
    /// What an `Int(_:)` of Swift also takes is no number in a configuration or a file's name: `+3`. That is
    /// generic besides, and each use of it has 1.4 KiB of code of its own.
    package init?(digits text: Substring) {
        guard !text.isEmpty else { return nil }
        self = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (tens, isTooLarge) = multipliedReportingOverflow(by: 10)
            let (sum, isLargerYet) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            guard !isTooLarge, !isLargerYet else { return nil }
            self = sum
        }
    }
}
