// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowPipeline

/// Admits an interval and notes it, whichever form runs it.
extension Log {
    @export(implementation)
    @inline(always)
    func admitsInterval(
        _ level: Level,
        _ file: StaticString,
        _ line: UInt32,
        _ column: UInt32
    ) -> Bool {
        letsThrough(level) && (limit == 0 || admitsByLimit(level, file, line, column))
    }

    @export(implementation)
    @inline(__always)
    func admitsByLimit(
        _ level: Level,
        _ file: StaticString,
        _ line: UInt32,
        _ column: UInt32
    ) -> Bool {
        let place = StatementPlace(line: line, column: column, level: level.literal)
        return Gate.admits(self, EncodedLiteral(file), place)
    }

    /// Notes an interval as the statement that it is; returns its name.
    @export(implementation)
    @inline(always)
    func noted(
        _ name: () -> LogMessage,
        _ level: Level,
        _ floor: Int32,
        _ file: StaticString,
        _ line: UInt32
    ) -> LogMessage {
        let statement = Statement(log: self, level: level.literal)
        statement.noteBegin(file, line, floor)
        defer { statement.noteEnd() }
        return name()
    }
}
