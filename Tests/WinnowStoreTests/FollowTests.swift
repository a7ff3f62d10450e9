// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Winnow
import WinnowStore

/// Entries as they come.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Journal.isReachable, Journal.reason))
struct FollowTests {
    private let identifier = Journal.uniqueIdentifier()

    private func follow(from position: LogStore.Position = .end) -> LogStore.Entries {
        LogStore.journal.follow(matching: [.identifier(identifier)], from: position)
    }

    @Test func `entries come as they are written, and a cancelled task gets no more`() async throws
    {
        Journal.send("before", as: identifier)
        try Journal.await(identifier, count: 1)
        let following = follow(from: .latest(1))
        let messages = AsyncStream<String>.makeStream()
        let task = Task {
            for try await entry in following { messages.continuation.yield(entry.message) }
            messages.continuation.finish()
        }
        var received = messages.stream.makeAsyncIterator()
        #expect(await received.next() == "before")
        for number in 1...5 {
            Journal.send("number \(number)", as: identifier)
            #expect(await received.next() == "number \(number)")
        }
        task.cancel()
        try await task.value
        #expect(await received.next() == nil)
    }

    @Test(arguments: [true, false])
    func `from the end only what is new comes`(hasOld: Bool) async throws {
        if hasOld {
            Journal.send("old", as: identifier)
            try Journal.await(identifier, count: 1)
        }
        let following = follow()
        let first = Task {
            var iterator = following.makeAsyncIterator()
            return try await iterator.next()?.message
        }
        // Nothing says when the reading has begun.
        let writer = Task { [identifier] in
            while !Task.isCancelled {
                Journal.send("new", as: identifier)
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        #expect(try await first.value == "new")
        writer.cancel()
    }

    @Test func `from a time that is still to come nothing old comes`() async throws {
        Journal.send("old", as: identifier)
        try Journal.await(identifier, count: 1)
        let now = UInt64(Date().timeIntervalSince1970 * 1_000_000_000)
        let following = follow(from: .since(now + 300_000_000))
        let first = Task {
            var iterator = following.makeAsyncIterator()
            return try await iterator.next()
        }
        let writer = Task { [identifier] in
            while !Task.isCancelled {
                Journal.send("new", as: identifier)
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        let entry = try #require(try await first.value)
        #expect(entry.message == "new")
        #expect(entry.receiptTimestamp >= now + 300_000_000)
        writer.cancel()
    }

    @Test(.enabled(if: getuid() == 0, "journalctl --rotate needs root: run ./Tests/run as root"))
    func `a rotation of the journal loses nothing and repeats nothing`() async throws {
        Journal.send("0", as: identifier)
        try Journal.await(identifier, count: 1)
        var iterator = follow(from: .latest(1)).makeAsyncIterator()
        #expect(try await iterator.next()?.message == "0")
        for number in 1...6 {
            try #require(try Journal.rotate())
            Journal.send("\(number)", as: identifier)
            #expect(try await iterator.next()?.message == "\(number)")
        }
    }

    @Test func `a task that is cancelled while nothing comes ends at once`() async throws {
        let matches: [[LogStore.Match]] = [[.identifier(identifier)], [.levels([])]]
        for matches in matches {
            let task = Task {
                for try await entry in LogStore.journal.follow(matching: matches) {
                    Issue.record("\(entry)")
                }
            }
            task.cancel()
            try await task.value
        }
    }

    @Test func `an iterator that was cancelled stays at its end`() async throws {
        try Journal.log(["levels"], as: identifier, count: 8)
        let following = follow(from: .start)
        let levels = Task {
            var iterator = following.makeAsyncIterator()
            var levels = [try await iterator.next()?.level]
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            for _ in 1...2 { levels.append(try await iterator.next()?.level) }
            return levels
        }
        #expect(try await levels.value == [.emergency, nil, nil])
    }

    @Test func `two tasks that follow one query get the same`() async throws {
        try Journal.log(["levels"], as: identifier, count: 8)
        let following = follow(from: .start)
        async let left = Self.levels(of: following)
        async let right = Self.levels(of: following)
        #expect(try await left == Level.allCases)
        #expect(try await right == Level.allCases)
    }

    private static func levels(of entries: LogStore.Entries) async throws -> [Level?] {
        var levels: [Level?] = []
        for try await entry in entries {
            levels.append(entry.level)
            if levels.count == 8 { break }
        }
        return levels
    }
}
