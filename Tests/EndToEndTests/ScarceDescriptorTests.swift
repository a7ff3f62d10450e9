// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A log that starts while the process has no descriptor left, as a server may that leaks them.
struct ScarceDescriptorTests {
    private static let deliveries = ["immediate", "deferred"]
    /// One record while there is none, and one when there are some again.
    private static let tasks = ["starve", "say=first", "feed", "say=second"]

    private func run(
        _ tasks: [String] = tasks,
        to sink: String,
        _ delivery: String = "immediate",
        stderr: FileHandle? = nil
    ) throws -> Program.Outcome {
        let environment = ["WINNOW_SINKS": sink, "WINNOW_DELIVERY": delivery]
        let outcome = try Program.run(tasks, environment: environment, stderr: stderr)
        #expect(outcome.status == 0)
        return outcome
    }

    private func messages(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.contains("[program] ") }
            .compactMap { $0.split(separator: " ").last }
    }

    @Test(arguments: ["stderr", "stdout"], deliveries)
    func `a stream is written to, which needs none`(sink: String, delivery: String) throws {
        let outcome = try run(["starve", "say=first"], to: sink, delivery)
        let text = sink == "stderr" ? outcome.stderr : outcome.stdout
        #expect(messages(text) == ["first"])
        // Through the same descriptor, and through a copy of it.
        let later = try run(Self.tasks + ["sleep=1", "say=third"], to: sink, delivery)
        let log = sink == "stderr" ? later.stderr : later.stdout
        #expect(messages(log) == ["first", "second", "third"])
        #expect(later.account(sink, "lost") == 0)
    }

    @Test(arguments: deliveries)
    func `so is standard error where it is a file`(delivery: String) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/log"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try #require(FileHandle(forWritingAtPath: path))
        _ = try run(to: "stderr", delivery, stderr: file)
        #expect(messages(try String(contentsOfFile: path, encoding: .utf8)) == ["first", "second"])
    }

    @Test(arguments: deliveries)
    func `a file gets all when there are some again`(delivery: String) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/log"
        _ = try run(to: "file:\(path)", delivery)
        #expect(messages(try String(contentsOfFile: path, encoding: .utf8)) == ["first", "second"])
    }

    @Test(.enabled(if: Rsyslog.isInstalled, Rsyslog.reason), arguments: deliveries)
    func `the syslog daemon gets all when there are some again`(delivery: String) throws {
        let daemon = try Rsyslog()
        _ = try run(Self.tasks + ["flush=60"], to: "syslog:\(daemon.socket)", delivery)
        let lines = daemon.lines(count: 2)
        #expect(messages(lines.joined(separator: "\n")) == ["first", "second"])
    }

    @Test(.enabled(if: Certificates.isPossible, Certificates.reason), arguments: deliveries)
    func `a server gets all within TLS when there are some again`(delivery: String) throws {
        let certificates = try Certificates()
        let server = try RsyslogServer(certificates: certificates)
        let sink = "syslog+tls://127.0.0.1:\(server.tcpPort)?ca=\(certificates.authority)"
        // There is none, so that a connection is tried in vain, and then one, which is not enough to
        // load OpenSSL.
        let tasks = [
            "starve", "say=first", "sleep=1", "feed=1", "say=second", "sleep=2", "feed",
            "say=third",
        ]
        _ = try run(tasks + ["flush=60"], to: sink, delivery)
        let messages = try server.messages(count: 3).ofProgram.map(\.msg)
        #expect(messages == ["first", "second", "third"])
    }

    @Test(.enabled(if: Journal.isReachable, Journal.reason), arguments: deliveries)
    func `the journal gets all when there are some again`(delivery: String) throws {
        let identifier = Journal.uniqueIdentifier()
        let outcome = try Program.run(
            Self.tasks + ["flush=60"],
            environment: [
                "WINNOW_SINKS": "journald", "WINNOW_DELIVERY": delivery,
                "WINNOW_IDENTIFIER": identifier,
            ]
        )
        #expect(outcome.status == 0)
        let entries = try Journal.entries(of: identifier, count: 2)
        #expect(entries.map { $0["MESSAGE"] } == ["first", "second"])
    }
}
