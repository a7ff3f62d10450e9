// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Winnow
import WinnowStore

/// Files of the journal that are not what journald wrote, read in processes of their own.
@Suite(.timeLimit(.minutes(30)), .enabled(if: Journal.isReachable, Journal.reason))
struct DamageTests {
    private let identifier = Journal.uniqueIdentifier()

    /// Copies the journal's files with the test's own entries into the folder, with a change to the
    /// bytes of each.
    private func copyJournal(to folder: TemporaryFolder, _ change: (inout Data) -> Void) throws {
        try Journal.copyFiles(with: identifier, to: folder.path)
        for name in File.names(in: folder.path) {
            let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
            var bytes = try Data(contentsOf: file)
            change(&bytes)
            try bytes.write(to: file)
        }
    }

    /// Where the last object of the file begins: `tail_object_offset` of its header.
    ///
    /// Source: systemd, Journal File Format.
    private static func used(_ file: Data) -> Int {
        file[136..<144].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test(arguments: 1...12)
    func `a damaged file ends no program, and what can be read is`(seed: Int) async throws {
        try Journal.log(["threads=1,200"], as: identifier, count: 200)
        let folder = try TemporaryFolder()
        try copyJournal(to: folder) { bytes in
            // The header stays, so that the file can be opened; what lies behind it suffers.
            let used = Self.used(bytes)
            for hit in 1...40 {
                let offset = 1_024 + (hit &* 7_919 &* seed &* 104_729) % (used - 1_024)
                bytes[offset] = UInt8(truncatingIfNeeded: hit &* seed)
            }
        }
        let path = folder.path
        await #expect(processExitsWith: .success) {
            [path = path as String, identifier = identifier as String] in
            let matches = [LogStore.Match.identifier(identifier)]
            let store = LogStore.journal(directory: path)
            let count = try store.entries(matching: matches).read(limit: 1_000_000).count
            try #require(count <= 200)
            let all = try store.entries().read(limit: 1_000_000)
            try #require(all.allSatisfy { !$0.description.isEmpty })
        }
    }

    @Test func `a time beyond belief is the last that there is`() async throws {
        try Journal.log(["say=odd"], as: identifier, count: 1)
        let query = [LogStore.Match.identifier(identifier)]
        let entry = try #require(LogStore.journal.entries(matching: query).read().first)
        let folder = try TemporaryFolder()
        try copyJournal(to: folder) { bytes in
            let time = unsafe withUnsafeBytes(of: entry.receiptTimestamp / 1_000) {
                unsafe Data($0)
            }
            // The most that libsystemd takes for a time, in microseconds.
            let odd = unsafe withUnsafeBytes(of: UInt64(1) << 55 - 1) { unsafe Data($0) }
            while let range = bytes.range(of: time) { bytes.replaceSubrange(range, with: odd) }
        }
        let path = folder.path
        await #expect(processExitsWith: .success) {
            [path = path as String, identifier = identifier as String] in
            let query = [LogStore.Match.identifier(identifier)]
            let entries = try LogStore.journal(directory: path).entries(matching: query).read()
            try #require(entries.map(\.receiptTimestamp) == [.max])
            try #require(entries.first?.message == "odd")
        }
    }
}
