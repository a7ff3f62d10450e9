// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore
internal import WinnowPipeline

/// The start of the system, by the first record or by the program.
@usableFromInline
enum Startup {
    static func startFromEnvironment() {}

    /// Whether a record would be accepted, once the system runs.
    @usableFromInline
    static func isEnabled(
        _ cell: UnsafeMutablePointer<cwinnow_category>,
        _ level: Level
    ) -> Bool {
        if !Pipeline.isRunning { startFromEnvironment() }
        return unsafe cwinnow_category_mask(cell) & (1 &<< UInt32(level.rawValue)) != 0
    }
}
