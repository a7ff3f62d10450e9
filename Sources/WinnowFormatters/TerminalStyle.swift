// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The commands that change how a terminal shows text.
///
/// Source: ECMA-48, section 8.3.117, "Select graphic rendition".
enum TerminalStyle {
    /// Back to normal.
    static let reset: StaticString = "\u{1B}[0m"
    /// Faint, for what is read last.
    static let dim: StaticString = "\u{1B}[2m"

    /// The style of a level's name, much as journalctl(1) shows levels; nil for none.
    static func of(_ level: Level) -> StaticString? {
        switch level {
        case .emergency, .alert, .critical: "\u{1B}[1;31m"  // Bold and red.
        case .error: "\u{1B}[31m"  // Red.
        case .warning: "\u{1B}[33m"  // Yellow.
        case .notice: "\u{1B}[1m"  // Bold.
        case .info: nil
        case .debug: dim
        }
    }
}
