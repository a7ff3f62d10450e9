// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support
import Testing

/// A real rsyslogd that listens on the network, and writes what its own parsers find in each message.
///
/// It can be stopped, killed and started again at the same ports.
final class RsyslogServer: @unchecked Sendable {
    // SAFETY: `process` is set by the thread that starts and ends the server, one at a time.
    static let isInstalled =
        Rsyslog.isInstalled
        && ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"].contains {
            FileManager.default.fileExists(atPath: "\($0)/rsyslog/mmpstrucdata.so")
        }
    static let reason: Comment = "no rsyslogd with mmpstrucdata installed: run ./Tests/run"

    let tcpPort: UInt16
    let udpPort: UInt16
    let folder: TemporaryFolder
    let certificates: Certificates?
    private let asksClients: Bool
    private let takesLinesOnly: Bool
    private var process = Process()

    /// Starts the server unless told otherwise, and waits until it listens.
    ///
    /// - Parameters:
    ///   - isStarted: Whether to start it.
    ///   - certificates: What it proves by TLS who it is with; nil is without TLS.
    ///   - asksClients: Whether clients must prove who they are as well.
    ///   - takesLinesOnly: Whether a message of a stream always ends with a line feed.
    /// - Throws: What keeps it from running.
    init(
        isStarted: Bool = true,
        certificates: Certificates? = nil,
        asksClients: Bool = false,
        takesLinesOnly: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        self.certificates = certificates
        self.asksClients = asksClients
        self.takesLinesOnly = takesLinesOnly
        tcpPort = Ports.take(SOCK_STREAM)
        udpPort = Ports.take(SOCK_DGRAM)
        try configuration.write(toFile: configurationPath, atomically: true, encoding: .utf8)
        if isStarted { try start() }
    }

    deinit {
        end(by: SIGKILL)
    }

    private var configurationPath: String { "\(folder.path)/rsyslog.conf" }
    /// What the server writes to.
    private var file: String { "\(folder.path)/messages" }

    /// The parameters of rsyslog for TLS.
    private var tls: (global: String, module: String) {
        guard let certificates else { return ("", "") }
        let global = """
            defaultNetstreamDriverCAFile="\(certificates.authority)"
            defaultNetstreamDriverCertFile="\(certificates.server)"
            defaultNetstreamDriverKeyFile="\(certificates.serverKey)"
            """
        let module = """
            streamDriver.name="gtls" streamDriver.mode="1"
            streamDriver.authMode="\(asksClients ? "x509/certvalid" : "anon")"
            """
        return (global, module)
    }

    /// Has one thread read all connections: from 8.2504 on there are several by default, and what was sent by one
    /// connection may be written behind what the next one has brought.
    private static let workers: String = {
        let told = try? Program.run(["-v"], executable: Rsyslog.path)
        let version = told?.stdout.split(separator: ".").dropFirst().first.flatMap { Int($0) }
        return version ?? 0 >= 2504 ? "workerThreads=\"1\"" : ""
    }()

    private var configuration: String {
        """
        global(workDirectory="\(folder.path)" maxMessageSize="128k" \(tls.global)
               parser.escapeControlCharactersOnReceive="off")
        module(load="imtcp" \(Self.workers) \(tls.module))
        module(load="imudp")
        module(load="mmpstrucdata")
        input(type="imtcp" port="\(tcpPort)" address="127.0.0.1" ruleset="parsed"
              supportOctetCountedFraming="\(takesLinesOnly ? "off" : "on")")
        input(type="imudp" port="\(udpPort)" address="127.0.0.1" ruleset="parsed")
        template(name="json" type="list") {
            constant(value="{")
            property(outname="pri" name="pri" format="jsonf") constant(value=",")
            property(outname="version" name="protocol-version" format="jsonf") constant(value=",")
            property(outname="time" name="timereported" dateFormat="rfc3339" format="jsonf")
            constant(value=",")
            property(outname="host" name="hostname" format="jsonf") constant(value=",")
            property(outname="app" name="app-name" format="jsonf") constant(value=",")
            property(outname="procid" name="procid" format="jsonf") constant(value=",")
            property(outname="msgid" name="msgid" format="jsonf") constant(value=",")
            property(outname="msg" name="msg" format="jsonf")
            constant(value=",\\"data\\":") property(name="$!rfc5424-sd") constant(value="}\\n")
        }
        ruleset(name="parsed") {
            action(type="mmpstrucdata" sd_name.lowercase="off")
            action(type="omfile" file="\(file)" template="json")
        }
        """
    }

    /// Starts the server, and waits until it listens.
    func start() throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: Rsyslog.path)
        process.arguments = ["-n", "-f", configurationPath, "-i", "\(folder.path)/pid"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try withoutBlockedSignals { try process.run() }
        let deadline = Date(timeIntervalSinceNow: 120)
        while !Ports.isListening(at: tcpPort) {
            try #require(process.isRunning && Date() < deadline, "rsyslogd does not listen")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Ends the server by a signal, and waits for its end.
    func end(by signal: Int32) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }

    /// Sends the server a signal that it outlives.
    func signal(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// The messages that the server has parsed, in the order in which it wrote them; not one that it is
    /// writing.
    func messages() throws -> [ParsedMessage] {
        let bytes = FileManager.default.contents(atPath: file) ?? Data()
        let end = bytes.lastIndex(of: 0x0A) ?? bytes.startIndex
        return try bytes.prefix(upTo: end).split(separator: 0x0A).map { try ParsedMessage($0) }
    }

    /// The number of messages that the server has written.
    var messageCount: Int {
        let counted = try? Program.run(["-l", file], executable: "/usr/bin/wc")
        return counted?.stdout.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }

    /// Waits until the server has written so many messages; two minutes without another one are an
    /// issue.
    ///
    /// - Returns: Whether they are there.
    @discardableResult
    func awaitMessages(_ count: Int) -> Bool {
        var last = -1
        var lastChange = ContinuousClock.now
        while true {
            let isLate = ContinuousClock.now - lastChange > .seconds(120)
            let current = messageCount
            if current >= count { return true }
            if current != last {
                (last, lastChange) = (current, .now)
            } else if isLate {
                Issue.record(
                    "rsyslogd has written \(current) of \(count) messages, and no more for 120 s"
                )
                return false
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// The messages, once there are as many of the program's as expected; those of Winnow's own, which
    /// a busy machine gives rise to, come besides.
    func messages(count: Int) throws -> [ParsedMessage] {
        var ownCount = 0
        while true {
            let isComplete = awaitMessages(count + ownCount)
            let messages = try messages()
            ownCount = messages.count { $0.isOwn }
            if !isComplete || messages.count - ownCount >= count { return messages }
        }
    }

    /// The messages, once the program's last one is there, and none has come since.
    func messages(upTo end: String) throws -> [ParsedMessage] {
        let line = "\"msg\":\"\(end)\""
        waitUntil("rsyslogd has written the message '\(end)'") {
            (try? Program.run(["-qF", line, file], executable: "/usr/bin/grep"))?.status == 0
        }
        var last = -1
        while messageCount != last {
            last = messageCount
            Thread.sleep(forTimeInterval: 0.3)
        }
        return try messages()
    }
}

/// What rsyslog's parsers have found in a message.
struct ParsedMessage: Decodable {
    let pri, version, time, host, app, procid, msgid, msg: String
    let data: [String: [String: String]]

    private static let start = Data("{\"pri\":".utf8)

    /// Reads a line that the server has written.
    init(_ line: Data) throws {
        let decoder = JSONDecoder()
        do {
            self = try decoder.decode(Self.self, from: line)
        } catch {
            // What a server that was killed was writing may stand in front: within a message no quote
            // stands bare.
            guard let start = line.range(of: Self.start, options: .backwards)?.lowerBound,
                start > line.startIndex
            else { throw error }
            self = try decoder.decode(Self.self, from: line[start...])
        }
    }

    /// Whether it is one of Winnow's own, and not of the program's.
    var isOwn: Bool { own["sequence"] == "0" }
    /// The number of the message on its way.
    var sequenceID: Int? { data["meta"]?["sequenceId"].flatMap { Int($0) } }
    /// The element with what Winnow knows of the record.
    var own: [String: String] { data["winnow@32473"] ?? [:] }
    /// The element with the record's fields.
    var fields: [String: String] { data["fields@32473"] ?? [:] }
}

/// Calls the body on a thread that blocks no signal, which a program that it starts would inherit.
private func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}

extension [ParsedMessage] {
    /// Those that the program has logged.
    var ofProgram: [ParsedMessage] { filter { !$0.isOwn } }

    /// Whether they are numbered from 1 in their order.
    var areNumbered: Bool { map(\.sequenceID) == indices.map { $0 + 1 } }
}
