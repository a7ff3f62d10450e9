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
}
