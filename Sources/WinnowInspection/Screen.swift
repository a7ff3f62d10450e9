// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowInspection

/// A terminal that shows a text, and soon another one in its place.
package struct Screen: Sendable {
    private let lineCount: Int

    /// The terminal of standard output, as large as it is now; nil if that is none.
    package static var current: Screen? {
        let count = cwinnow_inspection_terminal_lines(StandardStream.output.rawValue)
        return count > 0 ? Screen(lineCount: Int(count)) : nil
    }

    /// Returns what shows the lines of a text for which there is room, and nothing else.
    ///
    /// Source: ECMA-48, CUP, EL and ED.
    package func showing(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let shown = lines.prefix(lineCount - 1).map { "\($0)\u{1B}[K\n" }
        return "\u{1B}[H\(shown.joined())\u{1B}[J"
    }

    /// Waits a second.
    package static func wait() { cwinnow_thread_pause(1_000_000_000) }
}
