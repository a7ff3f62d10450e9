// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowRedirect
internal import WinnowCore

/// The lines that a rule collapses: of equal ones the first is logged, and those that follow within a
/// time are counted and then told by one record.
///
/// They are equal where their text, level, category, origin and stream are. They need not come one
/// behind the other: a library may say one thing in three lines, again and again. It keeps a bounded
/// number of texts; where there is no room for another, it tells early what ends first.
struct RepeatedLines {
    /// The texts that are kept at most, and their bytes.
    static let (limit, byteLimit) = (256, 1 << 20)

    private struct Key: Hashable {
        let text: [UInt8]
        let form: LineForm
        let origin: String
        let stream: PrintedStream
    }

    /// The time in which equal lines are counted.
    private struct Window {
        /// Its length, and its end by the monotonic clock, in nanoseconds.
        let interval: UInt64
        var end: UInt64
        /// The last line that was counted, and how many.
        var last: LineFacts
    }

    private let tally: LineTally
    private var windows: [Key: Window] = [:]
    /// The bytes of their texts.
    private var byteCount = 0
    /// When there is something to tell, by the monotonic clock; nil for never.
    private(set) var due: UInt64?

    init(_ tally: LineTally) {
        self.tally = tally
    }

    /// Counts a line that equals one which was logged; another one is to be logged itself.
    ///
    /// - Parameters:
    ///   - text: What is logged of the line.
    ///   - form: How.
    ///   - facts: What else is known of it.
    ///   - interval: For how long equal lines are counted, in nanoseconds.
    ///   - receiver: What logs lines for which there is no room any more.
    /// - Returns: Whether the line is counted.
    mutating func absorb(
        _ text: UnsafeRawBufferPointer,
        _ form: LineForm,
        _ facts: LineFacts,
        within interval: UInt64,
        telling receiver: (any LineReceiver)?
    ) -> Bool {
        let key = unsafe Key(
            text: Array(text),
            form: form,
            origin: facts.origin.name,
            stream: facts.stream
        )
        let now = cwinnow_clock_monotonic()
        if var window = windows[key], window.last.repeated > 0 || window.end > now {
            let count = window.last.repeated + 1
            window.last = facts
            window.last.repeated = count
            windows[key] = window
            if count == 1 { due = min(due ?? .max, window.end) }
            return true
        }
        remove(key)
        while windows.count >= Self.limit || byteCount + key.text.count > Self.byteLimit,
            let first = windows.min(by: { $0.value.end < $1.value.end })?.key
        {
            if let window = remove(first) { tell(first, window, to: receiver) }
        }
        byteCount += key.text.count
        windows[key] = Window(interval: interval, end: Self.time(now, after: interval), last: facts)
        return false
    }

    /// Tells what is due, or all that was counted.
    mutating func tell(all: Bool, to receiver: (any LineReceiver)?) {
        let now = cwinnow_clock_monotonic()
        guard !windows.isEmpty, all || due ?? .max <= now else { return }
        let ended = windows.filter { all || $0.value.end <= now }
        for (key, var window) in ended.sorted(by: { $0.value.last.time < $1.value.last.time }) {
            guard tell(key, window, to: receiver) else {
                remove(key)
                continue
            }
            window.last.repeated = 0
            window.end = Self.time(now, after: window.interval)
            windows[key] = window
        }
        due = windows.values.filter { $0.last.repeated > 0 }.map(\.end).min()
    }

    private static func time(_ now: UInt64, after interval: UInt64) -> UInt64 {
        interval > .max - now ? .max : now + interval
    }

    @discardableResult
    private mutating func remove(_ key: Key) -> Window? {
        guard let window = windows.removeValue(forKey: key) else { return nil }
        byteCount -= key.text.count
        return window
    }

    /// Tells how many lines were counted; false where there were none.
    @discardableResult
    private func tell(_ key: Key, _ window: Window, to receiver: (any LineReceiver)?) -> Bool {
        guard window.last.repeated > 0 else { return false }
        // SAFETY: the bytes are lent for the call.
        unsafe key.text.withUnsafeBytes {
            unsafe receiver?.log($0, as: key.form, line: window.last)
        }
        tally.untold.subtract(window.last.repeated)
        return true
    }
}
