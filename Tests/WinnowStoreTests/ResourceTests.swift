// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Winnow
import WinnowStore

/// What a reading costs the process, seen in a process of the test's own.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Journal.isReachable, Journal.reason))
struct ResourceTests {
    @Test func `200 iterations abandoned half way leave no thread and no descriptor`() async throws
    {
        let identifier = Journal.uniqueIdentifier()
        try Journal.log(["threads=2,500"], as: identifier, count: 1_000)
        await #expect(processExitsWith: .success) { [identifier = identifier as String] in
            let entries = LogStore.journal.entries(matching: [.identifier(identifier)])
            // The first one loads what stays: the library, the pool of Swift's threads.
            try await Self.readHalf(of: entries)
            try await Self.awaitRest("no thread reads") { Self.threads == 0 }
            let before = Self.descriptors
            for round in 0..<100 {
                try await Self.readHalf(of: entries)
                try await Self.readHalf(
                    of: round % 2 == 0 ? entries.follow() : entries.newestFirst()
                )
            }
            try await Self.awaitRest("no thread reads, and \(before) descriptors are open") {
                Self.threads == 0 && Self.descriptors == before
            }
        }
    }

    @Test func `a slow reader has little read ahead for it`() async throws {
        let identifier = Journal.uniqueIdentifier()
        // Two of them are more than waits for a journald that is busy.
        let tasks = (0..<40).flatMap { _ in ["big=4000000", "flush=60"] }
        try Journal.log(tasks, as: identifier, count: 40)
        await #expect(processExitsWith: .success) { [identifier = identifier as String] in
            let entries = LogStore.journal.entries(matching: [.identifier(identifier)])
            var iterator = entries.makeAsyncIterator()
            _ = try await iterator.next()
            try await Self.awaitRest("the reader waits") { Self.isReaderAsleep }
            let ownMemory = Self.status("RssAnon:")
            // All forty are 160 MB.
            try #require(ownMemory < 80_000, "\(ownMemory) kB")
            var count = 1
            while let entry = try await iterator.next() {
                #expect(entry.message.utf8.count == 4_000_000)
                count += 1
            }
            try #require(count == 40)
        }
    }

    @Test func `a program that reads no journal does not load libsystemd`() async throws {
        await #expect(processExitsWith: .success) {
            let entries = LogStore.journal.entries(matching: [.identifier("nobody")], from: .end)
            try #require(!File.text("/proc/self/maps").contains("libsystemd"))
            _ = try entries.read()
            try #require(File.text("/proc/self/maps").contains("libsystemd"))
        }
    }

    private static func readHalf(of entries: LogStore.Entries) async throws {
        var count = 0
        for try await _ in entries {
            count += 1
            if count == 500 { break }
        }
        try #require(count == 500)
    }

    /// Waits for what the threads do on their own, five minutes at most.
    ///
    /// No time limit of a suite ends the process of an exit test. What is thrown in one is told by
    /// nobody, and an issue is.
    private static func awaitRest(
        _ expectation: String,
        isReached: () -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(300)
        repeat {
            try await Task.sleep(for: .milliseconds(5))
            if isReached() { return }
        } while ContinuousClock.now < end
        Issue.record("not reached in 300 s: \(expectation)")
        throw Unreached()
    }

    private struct Unreached: Error {}

    private static var readers: [String] {
        File.names(in: "/proc/self/task").filter {
            File.text("/proc/self/task/\($0)/comm") == "winnow-journal\n"
        }
    }

    private static var threads: Int { readers.count }

    /// The descriptors but for those that Swift's own timers open when they like.
    private static var descriptors: Int {
        File.names(in: "/proc/self/fd").count { name in
            let path = "/proc/self/fd/\(name)"
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return target != "anon_inode:[timerfd]"
        }
    }

    /// Whether the reading thread waits, and has for a while.
    private static var isReaderAsleep: Bool {
        (0..<20).allSatisfy { _ in
            Thread.sleep(forTimeInterval: 0.005)
            return readers.allSatisfy { reader in
                File.text("/proc/self/task/\(reader)/stat").contains(") S ")
            }
        }
    }

    /// A number of /proc/self/status.
    private static func status(_ name: String) -> Int {
        let line = File.text("/proc/self/status").split(separator: "\n").first {
            $0.hasPrefix(name)
        }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            ?? 0
    }
}
