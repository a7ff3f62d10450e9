// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// How a pattern shows a level.
enum PatternLevel: String, CaseIterable {
    /// `warning`.
    case name
    /// `WARNING`.
    case upper
    /// `4`.
    case number
    /// `W`.
    case letter

    /// Returns the text of a level.
    func text(of level: Level) -> StaticString {
        switch self {
        case .name: level.name
        case .upper: capitals[Int(level.rawValue)]
        case .number: digits[Int(level.rawValue)]
        case .letter: letters[Int(level.rawValue)]
        }
    }
}

private let capitals: InlineArray<8, StaticString> = [
    "EMERGENCY", "ALERT", "CRITICAL", "ERROR", "WARNING", "NOTICE", "INFO", "DEBUG",
]

private let digits: InlineArray<8, StaticString> = ["0", "1", "2", "3", "4", "5", "6", "7"]

/// No two are the same, because the first is that of `panic`.
///
/// Source: syslog(1) of macOS, whose filters are the letters `pacewnid`.
private let letters: InlineArray<8, StaticString> = ["P", "A", "C", "E", "W", "N", "I", "D"]
