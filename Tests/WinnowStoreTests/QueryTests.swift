// SPDX-License-Identifier: Apache-2.0

import Testing
import Winnow
import WinnowStore

/// A query, and how journalctl is asked the same.
struct Comparison: Sendable, CustomTestStringConvertible {
    /// What both may ask for.
    struct Subject: Sendable {
        /// The program that has logged.
        let identifier: String
        /// All its entries.
        let entries: [LogStore.Entry]
    }

    let testDescription: String
    let query: @Sendable (Subject) -> LogStore.Entries
    let arguments: @Sendable (Subject) -> [String]

    static let all = matches + positions

    private static func by(
        _ name: String,
        _ matches: @escaping @Sendable (Subject) -> [LogStore.Match],
        _ arguments: @escaping @Sendable (Subject) -> [String]
    ) -> Comparison {
        Comparison(
            testDescription: name,
            query: { LogStore.journal.entries(matching: matches($0)) },
            arguments: arguments
        )
    }

    private static func from(
        _ name: String,
        _ position: @escaping @Sendable (Subject) -> LogStore.Position,
        _ arguments: @escaping @Sendable (Subject) -> [String]
    ) -> Comparison {
        Comparison(
            testDescription: name,
            query: {
                LogStore.journal.entries(matching: [.identifier($0.identifier)], from: position($0))
            },
            arguments: { ["-t", $0.identifier] + arguments($0) }
        )
    }

    private static let matches = [
        by("an identifier") {
            [.identifier($0.identifier)]
        } _: {
            ["-t", $0.identifier]
        },
        by("levels up to one") {
            [.identifier($0.identifier), .levels(.upTo(.error))]
        } _: {
            ["-t", $0.identifier, "-p", "err"]
        },
        by("a set of levels") {
            [.levels([.error, .debug]), .identifier($0.identifier)]
        } _: {
            ["-t", $0.identifier, "PRIORITY=3", "PRIORITY=7"]
        },
        by("a field") {
            [.identifier($0.identifier), .field("REQUEST_ID", "r1")]
        } _: {
            ["-t", $0.identifier, "REQUEST_ID=r1"]
        },
        by("one of two categories") {
            [.category("net"), .identifier($0.identifier), .category("db.pool")]
        } _: {
            ["-t", $0.identifier, "CATEGORY=net", "CATEGORY=db.pool"]
        },
        by("one of two identifiers") {
            [.identifier($0.identifier), .identifier("winnow-store-nobody")]
        } _: {
            ["-t", $0.identifier, "-t", "winnow-store-nobody"]
        },
        by("a process") {
            [.identifier($0.identifier), .processID($0.entries[0].processID ?? 0)]
        } _: {
            ["-t", $0.identifier, "_PID=\($0.entries[0].processID ?? 0)"]
        },
        by("a field that nobody has") {
            [.identifier($0.identifier), .field("NO_SUCH_FIELD", "")]
        } _: {
            ["-t", $0.identifier, "NO_SUCH_FIELD="]
        },
    ]

    private static let positions = [
        from("this boot") { _ in
            .boot
        } _: { _ in
            ["-b"]
        },
        from("a time") {
            .since($0.entries[5].receiptTimestamp)
        } _: {
            ["--since=\(time(of: $0.entries[5]))"]
        },
        from("a cursor") {
            .cursor($0.entries[5].cursor)
        } _: {
            ["--cursor=\($0.entries[5].cursor)"]
        },
        from("behind a cursor") {
            .after(cursor: $0.entries[5].cursor)
        } _: {
            ["--after-cursor=\($0.entries[5].cursor)"]
        },
        from("the last three") { _ in
            .latest(3)
        } _: { _ in
            ["-n", "3"]
        },
        from("more than there are") { _ in
            .latest(1_000)
        } _: { _ in
            ["-n", "1000"]
        },
        from("as many as can be said") { _ in
            .latest(.max)
        } _: { _ in
            ["-n", "1000"]
        },
        from("the last hour") { _ in
            .last(.seconds(3_600))
        } _: { _ in
            ["--since=-1h"]
        },
    ]

    /// The time at which the journal received an entry, as journalctl reads it.
    private static func time(of entry: LogStore.Entry) -> String {
        let microseconds = entry.receiptTimestamp / 1_000
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return "@\(microseconds / 1_000_000).\(fraction)"
    }
}

/// The same question to Winnow and to journalctl.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Journal.isReachable, Journal.reason))
struct QueryTests {
    private let identifier = Journal.uniqueIdentifier()

    private func makeSubject() throws -> Comparison.Subject {
        let tasks = ["levels", "categories", "fields"]
        let cursors = try Journal.log(tasks, as: identifier, count: 13)
        let entries = try LogStore.journal.entries(matching: [.identifier(identifier)]).read()
        #expect(entries.map(\.cursor) == cursors)
        try #require(entries.count == 13)
        return Comparison.Subject(identifier: identifier, entries: entries)
    }

    @Test(arguments: Comparison.all)
    func `a query finds what journalctl finds`(comparison: Comparison) throws {
        let subject = try makeSubject()
        let query = comparison.query(subject)
        let arguments = comparison.arguments(subject)
        #expect(try query.read().map(\.cursor) == Journal.cursors(arguments))
        #expect(
            try query.newestFirst().read().map(\.cursor)
                == Journal.cursors(arguments.filter { !$0.contains("cursor") } + ["-r"])
                .filter(Set(Journal.cursors(arguments)).contains)
        )
    }

    @Test func `from the end there is nothing, either way`() throws {
        let subject = try makeSubject()
        for position in [LogStore.Position.end, .since(.max), .last(.zero), .latest(0)] {
            let matches = [LogStore.Match.identifier(subject.identifier)]
            let query = LogStore.journal.entries(matching: matches, from: position)
            #expect(try query.read().isEmpty)
            #expect(try query.newestFirst().read().isEmpty)
        }
    }

    @Test func `a cursor whose entry does not match leads to what is behind it`() throws {
        let subject = try makeSubject()
        let cursor = subject.entries[4].cursor
        let matches: [LogStore.Match] = [.identifier(identifier), .levels([.error, .notice])]
        for position in [LogStore.Position.cursor(cursor), .after(cursor: cursor)] {
            let query = LogStore.journal.entries(matching: matches, from: position)
            let expected = subject.entries[5...].filter { [.error, .notice].contains($0.level) }
            #expect(try query.read() == expected)
            #expect(try query.newestFirst().read() == expected.reversed())
        }
    }

    @Test func `another boot's entries are none of this boot's`() throws {
        let subject = try makeSubject()
        let other = LogStore.Match.field("_BOOT_ID", String(repeating: "0", count: 32))
        let query = LogStore.journal.entries(
            matching: [.identifier(subject.identifier), other],
            from: .boot
        )
        #expect(try query.read().isEmpty)
    }
}
