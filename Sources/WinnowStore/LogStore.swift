// SPDX-License-Identifier: Apache-2.0

/// The journal, to be read: what has been logged, by this program or by any other.
///
/// ```swift
/// let errors = LogStore.journal.entries(
///     matching: [.identifier("myapp"), .levels(.upTo(.error))], from: .boot)
/// for try await entry in errors { print(entry) }
/// ```
/// A value that says which journal; nothing is opened before entries are read. Reading needs
/// libsystemd, version 246 or later, which is loaded then, and the right to read: of a journal that
/// a user may read only in part, only that part is seen, as with journalctl.
///
/// Any thread may use it, but not a signal handler; what reads must not go on in the child of a
/// fork.
public struct LogStore: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        case local
        case namespace(String)
        case directory(String)
    }

    let source: Source
    /// The shared library that reads, as dlopen(3) looks for it.
    let library: String

    package init(_ source: Source, library: String = Systemd.name) {
        self.source = source
        self.library = library
    }

    /// The journal of this machine: the system's and the users', of now and of earlier boots.
    public static let journal = LogStore(.local)

    /// Returns a namespace of this machine's journal: what a unit's `LogNamespace=` says.
    ///
    /// Source: systemd.exec(5).
    public static func journal(namespace: String) -> LogStore {
        LogStore(.namespace(namespace))
    }

    /// Returns the journal that lies in a directory, such as one copied from another machine.
    ///
    /// The directory holds journal files, or directories named after machines that do.
    public static func journal(directory: String) -> LogStore {
        LogStore(.directory(directory))
    }

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
}

/// Which entries are to be read, and how.
struct Query: Sendable {
    var store: LogStore
    var matches: [LogStore.Match]
    var position: LogStore.Position
    var isNewestFirst = false
    var isFollowing = false
}
