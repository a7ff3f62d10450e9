// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks
import WinnowTesting

@Suite(.timeLimit(.minutes(30)))
struct NetworkSyslogSinkTests {
    private func makeSink(
        _ server: SyslogServer,
        byteCount: Int = 8_192
    ) -> NetworkSyslogSink {
        let formatter = NetworkSyslogFormatter(identifier: "a", byteCount: byteCount, host: "h")
        return NetworkSyslogSink(to: server, formatter: formatter)
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `a stream gets the number of bytes, and then the message`(host: String) throws {
        let server = NetworkServer(.stream, host: host == "localhost" ? "127.0.0.1" : host)
        let sink = makeSink(.tcp(host, port: server.port))
        sink.writeOnceConnected("one")
        let connection = server.accept()
        defer { close(connection) }
        try sink.write("two\n99 three")
        var bytes: [UInt8] = []
        var frames: [String] = []
        while frames.count < 2 {
            bytes += NetworkServer.read(connection)
            frames += NetworkServer.frames(&bytes)
        }
        #expect(bytes == [])
        #expect(
            frames[0].hasPrefix(
                "<13>1 2026-11-21T09:30:15.123456Z h a 10 - [meta sequenceId=\"1\"]"
            )
        )
        #expect(frames[0].hasSuffix("] one"))
        #expect(frames[1].contains(" [meta sequenceId=\"2\"]"))
        #expect(frames[1].hasSuffix(#"] two\n99 three"#))
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a datagram is one message`(host: String) throws {
        let server = NetworkServer(.datagram, host: host)
        let sink = makeSink(.udp(host, port: server.port))
        sink.writeOnceConnected("one")
        try sink.write("two")
        let messages = [server.receive(), server.receive()]
        #expect(messages.map { $0.hasPrefix("<13>1 ") } == [true, true])
        #expect(messages[0].hasSuffix("] one"))
        #expect(messages[1].hasSuffix("] two"))
        #expect(messages[1].contains("[meta sequenceId=\"2\"]"))
    }

    @Test
    func `no record waits for the connection`() {
        // An address of the documentation, where nobody answers.
        let sink = makeSink(.tcp("192.0.2.1"))
        for _ in 0..<1_000 {
            let code = failure { () throws(SinkError) in try sink.write("lost") }?.code
            // Unavailable where the machine has no way there.
            #expect(code == .busy || code == .unavailable)
            sink.hold("lost")
            #expect(sink.commit().delivered == 0)
        }
    }

    @Test func `no server is unavailable, and one that comes is found`() throws {
        let server = NetworkServer(.stream)
        server.stop()
        let sink = makeSink(.tcp("127.0.0.1", port: server.port))
        #expect(sink.failureOnceTried("lost") == SinkError(.unavailable, systemError: ECONNREFUSED))
        server.listen()
        try sink.reopen()
        sink.writeOnceConnected("kept")
        let connection = server.accept()
        defer { close(connection) }
        var bytes = NetworkServer.read(connection)
        #expect(NetworkServer.frames(&bytes).first?.hasSuffix("] kept") == true)
    }

    @Test func `a host that nobody knows is unavailable`() {
        let sink = makeSink(.tcp("no-such-host.invalid"))
        let error = sink.failureOnceTried("lost")
        // Which of the two depends on whether the machine has a name server.
        #expect(error?.code == .unavailable)
        #expect([EHOSTUNREACH, EAGAIN].contains(error?.systemError))
        // Where no name server answers, nobody can say that the name is unknown.
        let reasons = ["Name or service not known", "Temporary failure in name resolution"]
        #expect(reasons.map { "unavailable: \($0)" }.contains(error?.description ?? ""))
    }

    @Test func `what is written after the server has ended the connection goes to the next`() throws
    {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tcp("127.0.0.1", port: server.port))
        sink.writeOnceConnected("one")
        let first = server.accept()
        _ = NetworkServer.read(first)
        shutdown(first, Int32(SHUT_RDWR))
        close(first)
        let error = failure { () throws(SinkError) in try sink.write("two") }
        // After a connection of a second or more the sink tries for the next one at once.
        #expect(error?.code == .unavailable || error?.code == .busy)
        try sink.reopen()
        sink.writeOnceConnected("two")
        let second = server.accept()
        defer { close(second) }
        var bytes = NetworkServer.read(second)
        let frames = NetworkServer.frames(&bytes)
        #expect(frames.count == 1)
        #expect(frames[0].contains("[meta sequenceId=\"2\"]"))
        #expect(frames[0].hasSuffix("] two"))
    }

    @Test
    func `a server that reads nothing makes the sink busy, and then gets every message whole`()
        throws
    {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tcp("127.0.0.1", port: server.port), byteCount: 131_072)
        let text = String(repeating: "x", count: 100_000)
        sink.writeOnceConnected(text)
        let connection = server.accept()
        defer { close(connection) }
        var written = 1
        let error = failure { () throws(SinkError) in
            while true {
                try sink.write(text)
                written += 1
            }
        }
        #expect(error == SinkError(.busy, systemError: EAGAIN))
        var bytes: [UInt8] = []
        var frames: [String] = []
        while frames.count < written {
            bytes += NetworkServer.read(connection)
            frames += NetworkServer.frames(&bytes)
            if failure({ () throws(SinkError) in try sink.flush() }) == nil,
                frames.count == written - 1
            {
                continue
            }
        }
        #expect(bytes == [])
        #expect(frames.allSatisfy { $0.hasSuffix("] \(text)") })
        for (index, frame) in frames.enumerated() {
            #expect(frame.contains("[meta sequenceId=\"\(index + 1)\"]"))
        }
    }

    @Test
    func `a message that a connection has taken a part of goes whole to the next`() throws {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tcp("127.0.0.1", port: server.port), byteCount: 131_072)
        let text = String(repeating: "x", count: 100_000)
        sink.writeOnceConnected(text)
        let first = server.accept()
        var written = 1
        while failure({ () throws(SinkError) in try sink.write(text) }) == nil { written += 1 }
        // The rest of the last one is owed, unless the buffers ended with it.
        let isOwing = failure { () throws(SinkError) in try sink.flush() } != nil
        shutdown(first, Int32(SHUT_RDWR))
        close(first)
        _ = failure { () throws(SinkError) in try sink.flush() }
        try sink.reopen()
        sink.writeOnceConnected("end")
        var next = server.accept()
        defer { close(next) }
        var bytes: [UInt8] = []
        var frames: [String] = []
        while frames.last?.hasSuffix("] end") != true {
            let more = NetworkServer.read(next)
            if more.isEmpty {
                // The flush had connected already, and the sink was reopened behind it.
                close(next)
                next = server.accept()
                bytes = []
            }
            bytes += more
            frames += NetworkServer.frames(&bytes)
        }
        #expect(frames.count == (isOwing ? 2 : 1))
        #expect(frames.last?.contains("[meta sequenceId=\"\(written + 1)\"]") == true)
        if isOwing {
            #expect(frames[0].contains("[meta sequenceId=\"\(written)\"]"))
            #expect(frames[0].hasSuffix("] \(text)"))
        }
    }

    @Test
    func `a flush says that the server of what is owed is not there`() throws {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tcp("127.0.0.1", port: server.port), byteCount: 131_072)
        sink.writeOnceConnected("one")
        let connection = server.accept()
        let text = String(repeating: "x", count: 100_000)
        repeat {
            // Where the buffers end with a message, none is owed: another one.
            while failure({ () throws(SinkError) in try sink.write(text) }) == nil {}
            _ = NetworkServer.read(connection)
        } while failure({ () throws(SinkError) in try sink.flush() }) == nil
        server.stop()
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
        let deadline = ContinuousClock.now + .seconds(10)
        var code = SinkError.Code.busy
        while code == .busy, ContinuousClock.now < deadline {
            code = failure { () throws(SinkError) in try sink.flush() }?.code ?? .busy
            usleep(1_000)
        }
        #expect(code == .unavailable)
    }

    @Test
    func `a message that is given up ends its connection, and its number is the next one's`() throws
    {
        let server = NetworkServer(.stream)
        let sink = makeSink(.tcp("127.0.0.1", port: server.port), byteCount: 131_072)
        let text = String(repeating: "x", count: 100_000)
        var written = 0
        repeat {
            // Where the buffers end with a message, none is owed: another one.
            sink.writeOnceConnected(text)
            written += 1
            while failure({ () throws(SinkError) in try sink.write(text) }) == nil { written += 1 }
        } while failure({ () throws(SinkError) in try sink.flush() }) == nil
        let first = server.accept()
        #expect(sink.takeOwed().map(\.level) == [.notice])
        #expect(sink.takeOwed().isEmpty)
        close(first)
        sink.writeOnceConnected("end")
        let next = server.accept()
        defer { close(next) }
        var bytes = NetworkServer.read(next)
        let frames = NetworkServer.frames(&bytes)
        #expect(frames.count == 1 && frames[0].hasSuffix("] end"))
        #expect(frames[0].contains("[meta sequenceId=\"\(written)\"]"))
    }

    @Test func `a connection of the program's that got our number is left alone`() async {
        await #expect(processExitsWith: .success) {
            let server = NetworkServer(.stream)
            let formatter = NetworkSyslogFormatter(identifier: "a", byteCount: 2_048, host: "h")
            let sink = NetworkSyslogSink(
                to: .tcp("127.0.0.1", port: server.port),
                formatter: formatter
            )
            sink.writeOnceConnected("one")
            let connection = server.accept()
            let number = try #require(Descriptor.number(ofSocketTo: server.port))
            var ends: [Int32] = [-1, -1]
            #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            #expect(unsafe Glibc.write(ends[1], "answer", 6) == 6)
            #expect(dup2(ends[0], number) == number)
            sink.writeOnceConnected("two")
            #expect(Descriptor.readAvailable(ends[1]).isEmpty)
            #expect(Descriptor.readAvailable(number) == Array("answer".utf8))
            let next = server.accept()
            var bytes = NetworkServer.read(next)
            #expect(NetworkServer.frames(&bytes).first?.hasSuffix("] two") == true)
            close(connection)
            close(next)
        }
    }

    @Test func `a datagram that the network does not take is rejected`() throws {
        let server = NetworkServer(.datagram)
        let sink = makeSink(.udp("127.0.0.1", port: server.port), byteCount: 131_072)
        sink.writeOnceConnected("one")
        let text = String(repeating: "x", count: 100_000)
        let error = failure { () throws(SinkError) in try sink.write(text) }
        #expect(error == SinkError(.rejected, systemError: EMSGSIZE))
        try sink.write("two")
        #expect(server.receive().hasSuffix("] one"))
        let last = server.receive()
        #expect(last.hasSuffix("] two"))
        #expect(last.contains("[meta sequenceId=\"2\"]"))
    }

    @Test(arguments: [NetworkServer.Kind.datagram, .stream])
    func `a batch is sent once it is committed, and numbered as single records are`(
        kind: NetworkServer.Kind
    ) throws {
        let server = NetworkServer(kind)
        let isStream = kind == .stream
        let sink = makeSink(
            isStream
                ? .tcp("127.0.0.1", port: server.port) : .udp("127.0.0.1", port: server.port)
        )
        sink.writeOnceConnected("one")
        sink.hold("two")
        sink.hold("three")
        #expect(sink.commit() == (2, nil))
        #expect(sink.commit() == (0, nil))
        try sink.write("four")
        var messages: [String] = []
        if isStream {
            let connection = server.accept()
            defer { close(connection) }
            var bytes: [UInt8] = []
            while messages.count < 4 {
                bytes += NetworkServer.read(connection)
                messages += NetworkServer.frames(&bytes)
            }
        } else {
            messages = (0..<4).map { _ in server.receive() }
        }
        for (index, text) in ["one", "two", "three", "four"].enumerated() {
            #expect(messages[index].contains("[meta sequenceId=\"\(index + 1)\"]"))
            #expect(messages[index].hasSuffix("] \(text)"))
        }
    }
}

extension NetworkSyslogSink {
    @discardableResult
    fileprivate func hold(_ message: String) -> Bool {
        withRecord(LogMessage(verbatim: message)) { hold($0) }
    }
}
