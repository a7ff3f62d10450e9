// SPDX-License-Identifier: Apache-2.0

/// What NSLog prints in front of a message: `2026-11-21 00:08:19.874 prog[17770:22646800] `.
///
/// The name of a program has no blank here, so that the times of other logs are not taken for it.
///
/// Source: swift-corelibs-foundation, `__CFLogCStringLegacy`:
/// `%04d-%02d-%02d %02d:%02d:%02d.%03d %s[%d:%x] `.
enum NSLogBanner {
    /// The time; `0` is any digit.
    private static let time = Array("0000-00-00 00:00:00.000 ".utf8)
    /// The longest name of a program in bytes: that of a file.
    private static let longestName = 255
    /// The digits of the largest process number, and of the largest thread number.
    private static let (longestProcess, longestThread) = (10, 8)

    /// Returns where the message begins; nil where the line has no banner.
    static func end(in line: Span<UInt8>) -> Int? {
        // Most lines end here.
        guard line.byte(at: 0).isDigit, line.fits(time, at: 0) else { return nil }
        let start = time.count
        var place = start
        while place <= start + longestName, place < line.count, line[place] > UInt8(ascii: " ") {
            if line[place] == UInt8(ascii: "["), place > start,
                let end = endOfNumbers(in: line, from: place + 1)
            {
                return end
            }
            place += 1
        }
        return nil
    }

    /// Returns where `17770:22646800] ` ends.
    private static func endOfNumbers(in line: Span<UInt8>, from start: Int) -> Int? {
        var place = start
        while line.byte(at: place).isDigit { place += 1 }
        guard 1...longestProcess ~= place - start, line.byte(at: place) == UInt8(ascii: ":") else {
            return nil
        }
        let thread = place + 1
        place = thread
        while line.byte(at: place).isHexadecimal { place += 1 }
        guard 1...longestThread ~= place - thread, line.byte(at: place) == UInt8(ascii: "]"),
            line.byte(at: place + 1) == UInt8(ascii: " ")
        else { return nil }
        return place + 2
    }
}
