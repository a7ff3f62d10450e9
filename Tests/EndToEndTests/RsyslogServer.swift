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
    private var process = Process()

    /// Starts the server unless told otherwise, and waits until it listens.
    ///
    /// - Parameters:
    ///   - isStarted: Whether to start it.
    ///   - certificates: What it proves by TLS who it is with; nil is without TLS.
    ///   - asksClients: Whether clients must prove who they are as well.
    /// - Throws: What keeps it from running.
    init(
        isStarted: Bool = true,
        certificates: Certificates? = nil,
        asksClients: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        self.certificates = certificates
        self.asksClients = asksClients
        tcpPort = freePort(SOCK_STREAM)
        udpPort = freePort(SOCK_DGRAM)
        try configuration.write(toFile: configurationPath, atomically: true, encoding: .utf8)
        if isStarted { try start() }
    }

    deinit {
        end(by: SIGKILL)
    }

    private var configurationPath: String { "\(folder.path)/rsyslog.conf" }

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

    private var configuration: String {
        """
        global(workDirectory="\(folder.path)" maxMessageSize="128k" \(tls.global)
               parser.escapeControlCharactersOnReceive="off")
        module(load="imtcp" \(tls.module))
        module(load="imudp")
        module(load="mmpstrucdata")
        input(type="imtcp" port="\(tcpPort)" address="127.0.0.1" ruleset="parsed")
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
            action(type="omfile" file="\(folder.path)/messages" template="json")
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
        let deadline = Date(timeIntervalSinceNow: 30)
        while !isListening(at: tcpPort) {
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

    /// The messages that the server has parsed, in the order in which it wrote them.
    func messages() throws -> [ParsedMessage] {
        let lines = (try? folder.lines(of: "messages")) ?? []
        return try lines.map { try JSONDecoder().decode(ParsedMessage.self, from: Data($0.utf8)) }
    }

    /// The number of messages that the server has written.
    var messageCount: Int {
        let file = "\(folder.path)/messages"
        let counted = try? Program.run(["-l", file], executable: "/usr/bin/wc")
        return counted?.stdout.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }

    /// The messages, once there are as many as expected, or no more have come for a while.
    func messages(count: Int) throws -> [ParsedMessage] {
        var last = -1
        var lastChange = Date()
        while true {
            let current = messageCount
            if current != last { lastChange = Date() }
            last = current
            if current >= count || Date().timeIntervalSince(lastChange) > 5 {
                return try messages()
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}

/// What rsyslog's parsers have found in a message.
struct ParsedMessage: Decodable {
    let pri, version, time, host, app, procid, msgid, msg: String
    let data: [String: [String: String]]

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

/// Calls the body with an address of this machine.
private func withLoopback<Result>(
    port: UInt16,
    _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafeMutablePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            unsafe body(address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// A port of this machine that nobody uses now.
private func freePort(_ type: __socket_type) -> UInt16 {
    let descriptor = socket(AF_INET, Int32(type.rawValue) | O_CLOEXEC, 0)
    defer { close(descriptor) }
    return unsafe withLoopback(port: 0) { address, size in
        var size = size
        _ = unsafe bind(descriptor, address, size)
        _ = unsafe getsockname(descriptor, address, &size)
        return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            unsafe UInt16(bigEndian: $0.pointee.sin_port)
        }
    }
}

private func isListening(at port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    defer { close(descriptor) }
    return unsafe withLoopback(port: port) { unsafe connect(descriptor, $0, $1) } == 0
}
