// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Records that are longer than their destination keeps in one piece.
struct SizeTests {
    /// A text that a cut one is: its beginning, what is missing, and its end.
    private static var cut: Regex<(Substring, Substring)> { #/x+… \[(\d+) bytes cut\] …x+/# }

    @Test(arguments: ["immediate", "deferred"], ["file", "stderr"])
    func `lines that a container runtime would split are whole objects`(
        delivery: String,
        sink: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/app.log"
        let name = sink == "file" ? "file:\(path)" : sink
        let outcome = try Program.run(
            ["say=short", "big=40000", "big=16000", "big=100000", "flush=60"],
            environment: [
                "WINNOW_SINKS": "\(name)?format=json&size=16K", "WINNOW_DELIVERY": delivery,
            ]
        )
        #expect(outcome.account(name, "delivered") == 4)
        let lines = try sink == "file" ? folder.lines(of: "app.log") : outcome.log
        let messages = try lines.map { line in
            #expect(line.utf8.count < 16_384)
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let members = try #require(object as? [String: Any])
            #expect(members["sequence"] as? Int ?? 0 > 0)
            return members["message"] as? String ?? ""
        }
        try #require(messages.count == 4)
        #expect(messages[0] == "short")
        #expect(messages[2] == String(repeating: "x", count: 16_000))
        for (message, count) in [(messages[1], 40_000), (messages[3], 100_000)] {
            let missing = message.wholeMatch(of: Self.cut).flatMap { Int($0.1) } ?? 0
            #expect(message.count { $0 == "x" } + missing == count)
            #expect(message.utf8.count > 15_500)
        }
    }

    @Test(.enabled(if: Journal.isReachable, Journal.reason))
    func `an entry of the journal is no longer than is wanted`() throws {
        let identifier = Journal.uniqueIdentifier()
        _ = try Program.run(
            ["big=3000000", "many-fields=300", "flush=60"],
            environment: [
                "WINNOW_SINKS": "journald?size=3K", "WINNOW_IDENTIFIER": identifier,
            ]
        )
        let entries = try Journal.entries(of: identifier, count: 2)
        let message = entries.first?["MESSAGE"] ?? ""
        #expect((2_000...3_072).contains(message.utf8.count))
        let missing = message.wholeMatch(of: Self.cut).flatMap { Int($0.1) } ?? 0
        #expect(message.count { $0 == "x" } + missing == 3_000_000)
        let kept = (0..<300).prefix { entries.last?["FIELD\($0)"] == "\($0)" }.count
        #expect(kept > 100)
        #expect(entries.last?["OMITTED_FIELDS"] == "\(300 - kept)")
        #expect(entries.last?["MESSAGE"] == "many")
    }

    @Test(.enabled(if: Rsyslog.isInstalled, Rsyslog.reason))
    func `a message of the local syslog is no longer than is wanted`() throws {
        let daemon = try Rsyslog()
        _ = try Program.run(
            ["big=40000", "flush=60"],
            environment: [
                "WINNOW_SINKS": "syslog:\(daemon.socket)?size=2K", "WINNOW_IDENTIFIER": "myapp",
            ]
        )
        let line = try #require(daemon.lines(count: 1).first)
        #expect((1_900...2_100).contains(line.utf8.count))
        #expect(line.firstMatch(of: Self.cut) != nil && line.hasSuffix("x"))
    }
}
