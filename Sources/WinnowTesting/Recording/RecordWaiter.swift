// SPDX-License-Identifier: Apache-2.0

internal import WinnowSinks

/// One wait for records in an order; used with the lock of its sink held.
final class RecordWaiter: @unchecked Sendable {
    // SAFETY: all but the patterns is read and written with the lock of the sink held.
    let patterns: [RecordPattern]
    private(set) var found: [StoredRecord] = []
    private(set) var isOver = false
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ patterns: [RecordPattern]) {
        self.patterns = patterns
    }

    /// Whether everything came.
    var isComplete: Bool { found.count == patterns.count }

    /// Looks at one more record; true where everything has come.
    func take(_ record: StoredRecord) -> Bool {
        if !isComplete, patterns[found.count].matches(record) { found.append(record) }
        return isComplete
    }

    /// Has the task wait for the end, which may have come before.
    func suspend(_ continuation: CheckedContinuation<Void, Never>) {
        guard !isOver, !isComplete else { return continuation.resume() }
        self.continuation = continuation
    }

    /// Ends the wait.
    func end() {
        isOver = true
        continuation?.resume()
        continuation = nil
    }
}
