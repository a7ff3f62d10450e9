// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import CWinnow

/// Reads the entries of a query one after the other, in one thread.
struct EntryReader: ~Copyable {
    private let journal: OpenJournal
    private let isNewestFirst: Bool
    /// Whether the journal stands at an entry that is the next to be returned.
    private var isPending = false
    /// The entries that may still come.
    private var remaining = Int.max
    /// The entry that is the last one when reading backwards.
    private var lastCursor: String?

    private init(of journal: consuming OpenJournal, isNewestFirst: Bool) {
        self.journal = journal
        self.isNewestFirst = isNewestFirst
    }

    /// Opens the journal and goes where the query begins.
    static func open(_ query: Query) throws(LogStoreError) -> EntryReader {
        for match in query.matches { try match.check() }
        let journal = try OpenJournal(query.store)
        var reader = EntryReader(of: journal, isNewestFirst: query.isNewestFirst)
        try reader.begin(query)
        return reader
    }

    private mutating func begin(_ query: Query) throws(LogStoreError) {
        try journal.checkFiles(of: query.store)
        if query.isFollowing { try journal.watch() }
        try journal.liftDataThreshold()
        let canMatch = try journal.add(query.matches)
        if query.position.anchor == .boot { try journal.addThisBoot(isOnly: query.matches.isEmpty) }
        if isNewestFirst {
            try seekBackwards(query.position)
        } else {
            isPending = try journal.seek(query.position)
        }
        if !canMatch { remaining = 0 }
    }

    /// Returns the next entry, or nil where there is none by now.
    mutating func next() throws(LogStoreError) -> LogStore.Entry? {
        guard remaining > 0 else { return nil }
        if isPending {
            isPending = false
        } else {
            guard try isNewestFirst ? journal.previous() : journal.next() else { return nil }
        }
        if remaining < .max { remaining -= 1 }
        if let lastCursor, try journal.isAt(lastCursor) { remaining = 0 }
        return try journal.entry()
    }

    /// Waits until ``next()`` may return more, or until the event was signalled.
    func wait(orUntil event: Event) throws(LogStoreError) {
        try journal.wait(orUntil: event)
    }

    /// Goes behind the last entry, and finds out where to end.
    private mutating func seekBackwards(_ position: LogStore.Position) throws(LogStoreError) {
        switch position.anchor {
        case .start, .boot: break
        case .end: remaining = 0
        case .latest(let count): remaining = max(count, 0)
        case .since, .last, .cursor, .after:
            var hasEntry = try journal.seek(position)
            if !hasEntry { hasEntry = try journal.next() }
            if hasEntry { lastCursor = try journal.cursor() } else { remaining = 0 }
        }
        try journal.seekTail()
    }
}

extension OpenJournal {
    /// Adds the matches, those of one field together; false where no entry can match.
    fileprivate func add(_ matches: [LogStore.Match]) throws(LogStoreError) -> Bool {
        var valueCounts: [String: Int] = [:]
        for match in matches {
            valueCounts[match.field, default: 0] += match.values.count
            for value in match.values { try addMatch(match.field, value) }
        }
        return valueCounts.values.allSatisfy { $0 > 0 }
    }

    /// Leaves out the entries of other boots.
    fileprivate func addThisBoot(isOnly: Bool) throws(LogStoreError) {
        let digits = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 33) { text in
            // SAFETY: the call writes 33 bytes, the last a zero, or none.
            let base = unsafe text.baseAddress.unsafelyUnwrapped
            let status = unsafe csystemd_boot_id(base)
            return status == 0
                ? .success(unsafe String(cString: base))
                : Result.failure(
                    LogStoreError(.failed, "boot_id", systemError: -status)
                )
        }
        if !isOnly { try addConjunction() }
        try addMatch("_BOOT_ID", Array(digits.get().utf8))
    }

    /// Goes to a position, oldest first; true where the journal stands at the first entry by then,
    /// false where `next` leads to it.
    fileprivate func seek(_ position: LogStore.Position) throws(LogStoreError) -> Bool {
        switch position.anchor {
        case .start, .boot: try seekHead()
        case .end: _ = try seekLatest(1)
        case .since(let time): try seek(microseconds: Self.microseconds(time))
        case .last(let duration): try seek(microseconds: Self.microseconds(ago: duration))
        // libsystemd refuses to go back by more.
        case .latest(let count) where count > 0:
            return try seekLatest(UInt64(min(count, Int(Int32.max))))
        case .latest: _ = try seekLatest(1)
        case .cursor(let cursor): try seek(cursor: cursor)
        case .after(let cursor):
            try seek(cursor: cursor)
            guard try next() else { return false }
            return try !isAt(cursor)
        }
        return false
    }

    /// Goes to the last entry but so many; false where there is none at all.
    ///
    /// From the tail itself `next` would lead nowhere, ever; where nothing matches yet, whatever
    /// comes is new, and is found from the head. Source: sd_journal_seek_tail(3).
    private func seekLatest(_ count: UInt64) throws(LogStoreError) -> Bool {
        try seekTail()
        if try previous(count) { return true }
        try seekHead()
        return false
    }

    /// Microseconds, rounded up.
    private static func microseconds(_ nanoseconds: UInt64) -> UInt64 {
        nanoseconds / 1_000 + (nanoseconds % 1_000 > 0 ? 1 : 0)
    }

    private static func microseconds(ago duration: Duration) -> UInt64 {
        let now = cwinnow_clock_realtime()
        guard duration > .zero else { return microseconds(now) }
        let seconds = UInt64(duration.components.seconds)
        let (nanoseconds, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooMuch, nanoseconds < now else { return 0 }
        let rest = UInt64(duration.components.attoseconds / 1_000_000_000)
        return microseconds(now - min(nanoseconds + rest, now))
    }
}
