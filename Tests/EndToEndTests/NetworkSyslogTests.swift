// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support
import Testing

/// From a log call over the network to what a real rsyslogd has parsed.
@Suite(.enabled(if: RsyslogServer.isInstalled, RsyslogServer.reason), .timeLimit(.minutes(30)))
struct NetworkSyslogTests {
    /// One line of a log in JSON.
    private struct Line: Decodable {
        let time, level, category, message, run, file, function, module: String
        let line, thread, process, sequence, level_sequence: Int
    }

    private func sink(_ transport: String, of server: RsyslogServer) -> String {
        let port = transport == "udp" ? server.udpPort : server.tcpPort
        return "syslog+\(transport)://127.0.0.1:\(port)"
    }

    @Test(.enabled(if: Namespace.isAllowed, "no mount namespace: not root"))
    func `datagrams go to the next address where nobody listens at one`() throws {
        let server = try RsyslogServer()
        let hosts = "\(server.folder.path)/hosts"
        try "::1 winnow-two\n127.0.0.1 winnow-two\n"
            .write(toFile: hosts, atomically: true, encoding: .utf8)
        let script = "mount --bind '\(hosts)' /etc/hosts && exec '\(Program.path)' \"$@\""
        let name = "syslog+udp://winnow-two:\(server.udpPort)"
        // The exit waits two seconds, in which a busy machine may not have looked the name up.
        let outcome = try Program.run(
            ["-m", "sh", "-c", script, "sh"] + (1...4).map { "say=\($0)" } + ["flush=60"],
            environment: ["WINNOW_SINKS": name],
            executable: "/usr/bin/unshare"
        )
        #expect(outcome.status == 0)
        #expect(outcome.complaints == [])
        #expect(try server.messages(count: 4).ofProgram.map(\.msg) == ["1", "2", "3", "4"])
    }

    @Test(.enabled(if: Namespace.isAllowed, "no mount namespace: not root"))
    func `datagrams follow a name to another address`() throws {
        let receivers = [DatagramReceiver("127.0.0.1"), DatagramReceiver("127.0.0.2")]
        let port = Ports.take(SOCK_DGRAM)
        try #require(receivers.allSatisfy { $0.bind(to: port) })
        let folder = try TemporaryFolder()
        let hosts = "\(folder.path)/hosts"
        try "127.0.0.1 winnow-moved\n".write(toFile: hosts, atomically: true, encoding: .utf8)
        let moving = StartedThread {
            waitUntil("the first address has got a record") { receivers[0].receive() != nil }
            // In place: another file would not be the one that is mounted.
            try? "127.0.0.2 winnow-moved\n".write(toFile: hosts, atomically: false, encoding: .utf8)
        }
        let script = "mount --bind '\(hosts)' /etc/hosts && exec '\(Program.path)' \"$@\""
        // For longer than an address is used without a look.
        let tasks = ["say=before", "flush=60", "sleep=61", "say=after", "flush=60"]
        let outcome = try Program.run(
            ["-m", "sh", "-c", script, "sh"] + tasks,
            environment: ["WINNOW_SINKS": "syslog+udp://winnow-moved:\(port)"],
            executable: "/usr/bin/unshare"
        )
        moving.join()
        #expect(outcome.account("syslog+udp://winnow-moved:\(port)", "delivered") == 2)
        #expect(receivers[1].receive()?.hasSuffix(" after") == true)
        #expect(receivers[0].receive() == nil)
    }

    @Test(arguments: ["tcp", "udp"])
    func `a server parses what the log in JSON says`(transport: String) throws {
        let server = try RsyslogServer()
        let path = "\(server.folder.path)/log.json"
        let name = sink(transport, of: server)
        let outcome = try Program.run(
            ["levels", "categories", "say=\u{1B}[2J", "flush=60"],
            environment: [
                "WINNOW_SINKS": "\(name)?facility=local0,file:\(path)?format=json",
                "WINNOW_IDENTIFIER": "my app", "WINNOW_LOG": "debug",
            ]
        )
        #expect(outcome.status == 0)
        #expect(outcome.complaints == [])
        #expect(outcome.account(name, "delivered") == 13)
        let lines = try server.folder.lines(of: "log.json").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        .filter { $0.sequence > 0 }
        let all = try server.messages(count: 13)
            .sorted { $0.sequenceID ?? 0 < $1.sequenceID ?? 0 }
        #expect(all.areNumbered)
        let messages = all.ofProgram
        #expect(messages.count == 13)
        let levels = [
            "emergency", "alert", "critical", "error", "warning", "notice", "info", "debug",
        ]
        for (message, line) in zip(messages, lines) {
            // 16 is local0.
            let level = try #require(levels.firstIndex(of: line.level))
            #expect(message.pri == "\(16 * 8 + level)")
            #expect(message.version == "1")
            #expect(message.time == line.time)
            #expect(message.host == ProcessInfo.processInfo.hostName)
            #expect(message.app == "my_app")
            #expect(message.procid == "\(line.process)")
            #expect(message.msgid == line.category)
            #expect(message.data["origin"] == ["software": "my_app"])
            #expect(message.data["timeQuality"]?["tzKnown"] == "1")
            #expect(
                message.own == [
                    "sequence": "\(line.sequence)", "level_sequence": "\(line.level_sequence)",
                    "run": line.run, "thread": "\(line.thread)", "category": line.category,
                    "file": line.file, "line": "\(line.line)", "function": line.function,
                    "module": line.module,
                ]
            )
            #expect(message.msg == (line.message == "\u{1B}[2J" ? #"\u{1b}[2J"# : line.message))
        }
    }

    @Test(arguments: ["tcp", "udp"])
    func `fields are parameters by their names made legal`(transport: String) throws {
        let server = try RsyslogServer()
        let outcome = try Program.run(
            ["fields", "flush=60"],
            environment: ["WINNOW_SINKS": sink(transport, of: server)]
        )
        #expect(outcome.complaints == [])
        let message = try #require(server.messages(count: 1).ofProgram.first)
        #expect(message.msg == "odd names")
        #expect(
            message.fields == [
                "request.id": "r1", "9lives": "9", "_PID": "1", "na_ve": "true", "PRIORITY": "0",
                "message": "no", "a": "1", "A_2": "2", "_": "empty",
                "a_name_that_is_longer_than_the_s": "3.5",
            ]
        )
    }

    @Test(arguments: ["tcp", "udp"])
    func `a message makes one message and forges nothing`(transport: String) throws {
        let server = try RsyslogServer()
        let messages = [
            "\n<0>1 - - - - - - forged", #"] x"#, #"[a b="c"]"#, "12 <0>1 - - - - - - forged",
            "\u{202E}x", "a\u{2028}b", "größe",
        ]
        _ = try Program.run(
            messages.map { "say=\($0)" } + ["flush=60"],
            environment: ["WINNOW_SINKS": sink(transport, of: server)]
        )
        let parsed = try server.messages(count: messages.count).ofProgram
        #expect(parsed.allSatisfy { $0.pri == "13" })
        #expect(
            parsed.sorted { $0.sequenceID ?? 0 < $1.sequenceID ?? 0 }.map(\.msg) == [
                #"\n<0>1 - - - - - - forged"#, #"] x"#, #"[a b="c"]"#,
                "12 <0>1 - - - - - - forged", #"\u{202e}x"#, #"a\u{2028}b"#, "größe",
            ]
        )
    }

    @Test(arguments: ["immediate", "deferred"])
    func `a server that takes lines gets a message for each record`(delivery: String) throws {
        let server = try RsyslogServer(takesLinesOnly: true)
        let name = sink("tcp", of: server)
        let texts = ["\n<0>1 - - - - - - forged", "a\r\nb", "12 <13>1 - - - - - - x"]
        let outcome = try Program.run(
            texts.map { "say=\($0)" } + ["fields", "burst=500", "flush=60"],
            environment: ["WINNOW_SINKS": name + "?framing=lf", "WINNOW_DELIVERY": delivery]
        )
        #expect(outcome.complaints == [])
        #expect(outcome.account(name, "delivered") == 504)
        let messages = try server.messages(count: 504)
        #expect(messages.areNumbered)
        #expect(messages.ofProgram.allSatisfy { $0.pri == "13" && $0.version == "1" })
        let expected = [
            #"\n<0>1 - - - - - - forged"#, #"a\r\nb"#, "12 <13>1 - - - - - - x",
            "odd names",
        ]
        #expect(
            messages.ofProgram.map(\.msg) == expected + (0..<500).map { "\($0)" }
        )
    }

    @Test(arguments: [("", 8_192), ("?size=64K", 65_536)])
    func `a text that is too long is cut, and says so`(options: String, byteCount: Int) throws {
        let server = try RsyslogServer()
        _ = try Program.run(
            ["big=200000", "flush=60"],
            environment: ["WINNOW_SINKS": sink("tcp", of: server) + options]
        )
        let message = try #require(server.messages(count: 1).ofProgram.first)
        #expect(message.msg.hasPrefix("xxxx"))
        #expect(message.msg.contains(#/x… \[\d+ bytes cut\] …x+$/#))
        #expect((byteCount - 2_048...byteCount).contains(message.msg.utf8.count))
    }

    @Test(arguments: ["immediate", "deferred"])
    func `8 threads times 5 000 records arrive once each, or are reported lost`(
        delivery: String
    ) throws {
        let server = try RsyslogServer()
        let name = sink("tcp", of: server)
        let outcome = try Program.run(
            ["threads=8,5000", "flush=120", "say=end", "flush=120"],
            environment: [
                "WINNOW_SINKS": name, "WINNOW_DELIVERY": delivery, "WINNOW_OVERFLOW": "block=60s",
            ]
        )
        let delivered = try #require(outcome.account(name, "delivered"))
        // A server that gets no processor for longer than callers wait takes fewer of them.
        #expect(delivered > 20_000)
        #expect(outcome.account(name, "lost") == 40_001 - delivered)
        let messages = try server.messages(upTo: "end")
        #expect(messages.ofProgram.count == delivered)
        #expect(Set(messages.ofProgram.map(\.msg)).count == delivered)
        #expect(messages.areNumbered)
    }

    @Test
    func `a server that comes later gets what was logged before`() throws {
        let server = try RsyslogServer(isStarted: false)
        let name = sink("tcp", of: server)
        let outcome = try runWithFaults(["levels", "wait", "say=later", "flush=60"], to: name) {
            try server.start()
        }
        #expect(outcome.account(name, "delivered") == 7)
        #expect(try server.messages(count: 7).ofProgram.last?.msg == "later")
    }

    @Test
    func `without a server nobody waits, and what is lost is told at the end`() throws {
        let server = try RsyslogServer(isStarted: false)
        let name = sink("tcp", of: server)
        let outcome = try Program.run(["levels"], environment: ["WINNOW_SINKS": name])
        #expect(outcome.status == 0)
        #expect(outcome.account(name, "accepted") == 6)
        #expect(outcome.account(name, "delivered") == 0)
        #expect(outcome.log.contains { $0.hasPrefix("winnow: \(name): lost 6 ") })
    }

    @Test
    func `a child of a fork has a connection and numbers of its own`() throws {
        let server = try RsyslogServer()
        let name = sink("tcp", of: server)
        _ = try Program.run(
            ["say=before", "flush=60", "fork=20", "flush=60"],
            environment: ["WINNOW_SINKS": name]
        )
        let messages = try server.messages(count: 41)
        let child = try #require(messages.first { $0.msg.hasPrefix("child ") }).procid
        let ofChild = messages.filter { $0.procid == child }
        let ofParent = messages.filter { $0.procid != child }
        #expect(ofChild.ofProgram.map(\.msg) == (0..<20).map { "child \($0)" })
        #expect(ofChild.areNumbered)
        let texts = ["before"] + (0..<20).map { "parent \($0)" }
        #expect(ofParent.ofProgram.map(\.msg) == texts)
        #expect(ofParent.areNumbered)
        #expect(Set(ofParent.map(\.procid)).count == 1)
    }
}
