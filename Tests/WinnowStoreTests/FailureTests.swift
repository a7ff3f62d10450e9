// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Winnow
import WinnowStore

/// What a reading says when there is nothing to read, or nothing to read it with.
@Suite(.timeLimit(.minutes(30)))
struct FailureTests {
    /// The error that reading throws, as a thread gets it.
    private func failure(of entries: LogStore.Entries) -> LogStoreError? {
        do throws(LogStoreError) {
            _ = try entries.read()
            return nil
        } catch {
            return error
        }
    }

    @Test func `without libsystemd the error names it and says why`() async throws {
        let store = LogStore(.local, library: "libsystemd-not-here.so.0")
        let error = try #require(failure(of: store.entries()))
        #expect(error.code == .libraryMissing)
        #expect(error.subject == "libsystemd-not-here.so.0")
        #expect(error.description.hasPrefix("the journal cannot be read without libsystemd-not-"))
        #expect(error.description.contains("cannot open shared object file"))
        var iterator = store.follow().makeAsyncIterator()
        await #expect(throws: error) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func `a library without the functions is as good as none`() throws {
        let store = LogStore(.local, library: "libc.so.6")
        let error = try #require(failure(of: store.entries()))
        #expect(error.code == .libraryMissing)
        #expect(error.description.contains("undefined symbol: sd_journal_open"))
    }

    @Test(arguments: [
        ("request.id", "; did you mean 'REQUEST_ID'?"), ("größe", "; did you mean 'GR__E'?"),
        ("message", "; did you mean 'MESSAGE'?"), ("9LIVES", ""), ("__CURSOR", ""), ("", ""),
        ("A=B", "; did you mean 'A_B'?"), (String(repeating: "N", count: 65), ""),
    ])
    func `a name that no field can have is told by name`(name: String, hint: String) throws {
        let entries = LogStore.journal.entries(matching: [.field(name, "x")])
        let error = try #require(failure(of: entries))
        #expect(error.code == .invalidField)
        #expect(error.subject == name)
        #expect(error.description == "'\(name)' is no field name of the journal\(hint)")
    }

    @Test func `a directory that is not there, or holds no journal, is told by name`() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path, "\(folder.path)/none"] {
            let error = try #require(failure(of: LogStore.journal(directory: path).entries()))
            #expect(error.code == .noJournal)
            #expect(error.description == "there is no journal in \(path)")
        }
    }

    @Test func `a namespace that is not there is told by name`() throws {
        let error = try #require(failure(of: LogStore.journal(namespace: "no-such").entries()))
        #expect(error.code == .noJournal)
        #expect(error.description.contains("for the namespace 'no-such'"))
    }

    @Test(
        .enabled(if: Journal.isReachable, Journal.reason),
        arguments: ["", "nonsense", "s=1;i=q"]
    )
    func `what is no cursor is told`(cursor: String) throws {
        for position in [LogStore.Position.cursor(cursor), .after(cursor: cursor)] {
            let error = try #require(failure(of: LogStore.journal.entries(from: position)))
            #expect(error.code == .invalidCursor)
            #expect(error.description == "'\(cursor)' is no cursor of a journal")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can become nobody: run ./Tests/run as root"))
    func `a journal that may not be read is told from none`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/system.journal"
        let mode = [FileAttributeKey.posixPermissions: 0o600]
        try #require(
            FileManager.default.createFile(atPath: file, contents: Data(), attributes: mode)
        )
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try #require(setuid(65_534) == 0)
            do throws(LogStoreError) {
                _ = try LogStore.journal(directory: path).entries().read()
                Issue.record("it was read")
            } catch {
                try #require(error.code == .permissionDenied)
                try #require(error.description.hasPrefix("this user may not read the journal in"))
            }
        }
    }
}
