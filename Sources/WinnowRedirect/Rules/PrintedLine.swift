// SPDX-License-Identifier: Apache-2.0

/// Which part of a line is its text.
struct PrintedLine {
    /// The text: without the line break, the carriage returns before it, and NSLog's banner; of a
    /// progress bar the last part that is not empty.
    let text: Range<Int>
    /// Whether the line has the banner of NSLog.
    let isNSLog: Bool

    init(_ line: Span<UInt8>) {
        let carriageReturn = UInt8(ascii: "\r")
        var end = line.count
        if end > 0, line[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        while end > 0, line[end - 1] == carriageReturn { end -= 1 }
        let banner = NSLogBanner.end(in: line.extracting(0..<end))
        var start = banner ?? 0
        if let last = line.extracting(start..<end).lastIndex(of: carriageReturn) {
            start += last + 1
        }
        text = start..<end
        isNSLog = banner != nil
    }

    /// Whether a line has nothing in its text but blanks and colors: a program prints it to set others
    /// apart.
    static func isBlank(_ line: Span<UInt8>) -> Bool {
        let text = line.extracting(PrintedLine(line).text)
        return text.skippingBlanks(from: 0) == text.count
    }
}
