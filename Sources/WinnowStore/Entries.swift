// SPDX-License-Identifier: Apache-2.0

extension LogStore {
    /// Returns the entries that match, oldest first, up to the last one that there is.
    ///
    /// Nothing is read before the entries are iterated over, and each iteration reads anew.
    ///
    /// - Parameters:
    ///   - matches: Matches of different fields must all hold, of those of one field one must;
    ///     without any, every entry matches.
    ///   - position: Where to begin.
    /// - Returns: The entries, to be iterated over, read at once, followed or turned round.
    public func entries(
        matching matches: [Match] = [],
        from position: Position = .start
    ) -> Entries {
        Entries(Query(store: self, matches: matches, position: position))
    }

    /// Returns the entries that match and are still to come: `journalctl --follow`.
    ///
    /// The same as ``entries(matching:from:)`` and then ``Entries/follow()``.
    ///
    /// - Parameters:
    ///   - matches: As for ``entries(matching:from:)``.
    ///   - position: Where to begin; `.latest(10)` begins with the last ten that there are.
    /// - Returns: The entries, to be iterated over until the task is cancelled.
    public func follow(
        matching matches: [Match] = [],
        from position: Position = .end
    ) -> Entries {
        entries(matching: matches, from: position).follow()
    }

    /// The entries of a journal that match, to be iterated over or read at once.
    ///
    /// An iteration has a thread of its own, which reads up to 64 entries or a mebibyte ahead and
    /// ends with the iteration: at the last entry, when the iterator is gone, or when the task is
    /// cancelled, after which no entry follows. A file that is damaged beyond opening is left out,
    /// as journalctl does; of a damaged entry comes what can be read (``Entry/isComplete``).
    ///
    /// A value that any task or thread may use and iterate over, each with an iterator of its own,
    /// but no signal handler.
    public struct Entries: AsyncSequence, Sendable {
        /// Why the entries, or the rest of them, cannot be read.
        public typealias Failure = LogStoreError

        private var query: Query

        init(_ query: Query) {
            self.query = query
        }

        /// Returns the same entries, and those that are still to come, as they come.
        ///
        /// It ends only when its task is cancelled. journald tells of new entries at most four
        /// times a second.
        public func follow() -> Entries {
            var following = self
            following.query.isFollowing = true
            following.query.isNewestFirst = false
            return following
        }

        /// Returns the same entries that there are, from the last one back to the first.
        public func newestFirst() -> Entries {
            var reversed = self
            reversed.query.isFollowing = false
            reversed.query.isNewestFirst = true
            return reversed
        }

        /// Reads the entries that there are, and blocks the thread meanwhile.
        ///
        /// For programs that are not async; it never waits for entries that are still to come.
        ///
        /// - Parameter limit: The number of entries after which to stop.
        /// - Returns: The entries, in the order of the reading.
        /// - Throws: ``LogStoreError``, and then gives back none of what it has read.
        public func read(limit: Int = .max) throws(LogStoreError) -> [Entry] {
            var query = query
            query.isFollowing = false
            var reader = try EntryReader.open(query)
            var entries: [Entry] = []
            while entries.count < limit, let entry = try reader.next() { entries.append(entry) }
            return entries
        }

        /// Reads the entries that there are one by one, and blocks the thread meanwhile.
        package func forEach(_ body: (Entry) -> Void) throws(LogStoreError) {
            var query = query
            query.isFollowing = false
            var reader = try EntryReader.open(query)
            while let entry = try reader.next() { body(entry) }
        }

        /// Creates an iterator; its thread starts with the first entry that is asked for.
        public func makeAsyncIterator() -> Iterator {
            Iterator(query)
        }
    }
}

extension LogStore.Entries {
    /// Iterates over entries.
    public struct Iterator: AsyncIteratorProtocol {
        /// Ends the reading with the last copy of the iterator.
        private final class Lease {
            let reading: Reading

            init(_ query: Query) throws(LogStoreError) {
                reading = try Reading(query)
            }

            deinit {
                reading.abandon()
            }
        }

        /// What is to be read; nil when there is no more.
        private var query: Query?
        private var lease: Lease?
        private var batch: [LogStore.Entry] = []
        private var index = 0

        init(_ query: Query) {
            self.query = query
        }

        /// Returns the next entry; nil at the end, and once the task was cancelled.
        ///
        /// After an error it returns nil. MT-Unsafe: one task at a time uses an iterator. AS-Unsafe.
        ///
        /// - Throws: ``LogStoreError`` where the journal cannot be read, or not to its end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(LogStoreError) -> LogStore.Entry? {
            guard let query, !Task.isCancelled else {
                end()
                return nil
            }
            if index == batch.count {
                do throws(LogStoreError) {
                    batch = try await nextBatch(query, actor)
                } catch {
                    end()
                    throw error
                }
                index = 0
            }
            guard index < batch.count else {
                end()
                return nil
            }
            defer { index += 1 }
            return batch[index]
        }

        private mutating func nextBatch(
            _ query: Query,
            _ actor: isolated (any Actor)?
        ) async throws(LogStoreError) -> [LogStore.Entry] {
            let current: Lease
            if let lease { current = lease } else { current = try Lease(query) }
            lease = current
            return try await current.reading.nextBatch(isolation: actor).get()
        }

        private mutating func end() {
            query = nil
            lease = nil
            batch = []
            index = 0
        }
    }
}
