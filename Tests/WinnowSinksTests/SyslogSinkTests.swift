// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

@Suite(.timeLimit(.minutes(30)))
struct SyslogSinkTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("log") }

    private func makeSink() -> SyslogSink {
        SyslogSink(path: path, formatter: PlainFormatter())
    }

    @Test func `a record is one datagram, without the line break at its end`() throws {
        let server = LocalServer(path: path)
        let sink = makeSink()
        try sink.write("one")
        try sink.write("x\n<0>forged")
        try sink.write("")
        #expect(server.receiveTexts() == ["one", "x\n<0>forged", ""])
    }

    @Test func `a stream gets records that NUL ends`() throws {
        let server = LocalServer(path: path, kind: .stream)
        let sink = makeSink()
        try sink.write("one")
        try sink.write("two")
        let connection = server.accept()
        defer { close(connection) }
        #expect(Descriptor.readAvailable(connection) == Array("one\u{0}two\u{0}".utf8))
    }

    @Test func `no daemon is unavailable, and one that comes is found`() throws {
        let sink = makeSink()
        let error = failure { () throws(SinkError) in try sink.write("lost") }
        #expect(error == SinkError(.unavailable, systemError: ENOENT))
        let server = LocalServer(path: path)
        try sink.reopen()
        try sink.write("kept")
        #expect(server.receiveTexts() == ["kept"])
    }

    @Test func `a path that refused is tried again after a pause`() throws {
        let sink = makeSink()
        #expect(failure { () throws(SinkError) in try sink.write("lost") }?.code == .unavailable)
        let server = LocalServer(path: path)
        while failure({ () throws(SinkError) in try sink.write("kept") }) != nil {}
        #expect(server.receiveTexts() == ["kept"])
    }

    @Test(arguments: [LocalServer.Kind.datagram, .stream])
    func `a socket that a dead daemon left is unavailable`(kind: LocalServer.Kind) {
        let server = LocalServer(path: path, kind: kind)
        server.stop()
        let error = failure { () throws(SinkError) in try makeSink().write("lost") }
        #expect(error == SinkError(.unavailable, systemError: ECONNREFUSED))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `a socket that we may not write to is unavailable`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            unsafe chmod(folder.path, 0o755)
            let server = LocalServer(path: folder.file("log"))
            unsafe chmod(server.path, 0o600)
            seteuid(65_534)
            let sink = SyslogSink(path: server.path, formatter: PlainFormatter())
            let error = failure { () throws(SinkError) in try sink.write("lost") }
            seteuid(0)
            #expect(error == SinkError(.unavailable, systemError: EACCES))
        }
    }

    @Test func `a daemon that reads nothing makes the sink busy`() throws {
        let server = LocalServer(path: path)
        let sink = makeSink()
        var written = 0
        let error = failure { () throws(SinkError) in
            while true {
                try sink.write("\(written)")
                written += 1
            }
        }
        #expect(error == SinkError(.busy, systemError: EAGAIN))
        #expect(server.receiveTexts() == (0..<written).map { "\($0)" })
        try sink.write("after")
        #expect(server.receiveTexts() == ["after"])
    }

    @Test(arguments: [LocalServer.Kind.datagram, .stream])
    func `a daemon that was restarted gets the next record`(kind: LocalServer.Kind) throws {
        let server = LocalServer(path: path, kind: kind)
        let sink = makeSink()
        try sink.write("before")
        if kind == .stream { server.hangUp() }
        server.restart()
        try sink.write("after")
        if kind == .stream {
            let connection = server.accept()
            defer { close(connection) }
            #expect(Descriptor.readAvailable(connection) == Array("after\u{0}".utf8))
        } else {
            #expect(server.receiveTexts() == ["after"])
        }
    }

    @Test func `a daemon that changed from datagrams to a stream gets the next record`() throws {
        let server = LocalServer(path: path)
        let sink = makeSink()
        try sink.write("before")
        server.stop()
        unsafe unlink(path)
        let other = LocalServer(path: path, kind: .stream)
        try sink.write("after")
        let connection = other.accept()
        defer { close(connection) }
        #expect(Descriptor.readAvailable(connection) == Array("after\u{0}".utf8))
    }

    @Test func `a record too long for a datagram is cut between characters, and says so`() throws {
        let server = LocalServer(path: path)
        let sink = makeSink()
        try sink.write("a" + String(repeating: "é", count: 200_000))
        let texts = server.receiveTexts()
        // 65 536 bytes less the 12 of the mark and less half a character.
        #expect(texts == ["a" + String(repeating: "é", count: 32_761) + " [truncated]"])
    }

    @Test func `what a stream took in part is completed before the next record`() throws {
        let server = LocalServer(path: path, kind: .stream)
        let sink = makeSink()
        let long = String(repeating: "b", count: 1_000_000)
        try sink.write(long)
        let connection = server.accept()
        defer { close(connection) }
        #expect(failure { () throws(SinkError) in try sink.write("next") }?.code == .busy)
        var received: [UInt8] = []
        repeat {
            received += Descriptor.readAvailable(connection)
        } while failure { () throws(SinkError) in try sink.flush() } != nil
        try sink.write("next")
        received += Descriptor.readAvailable(connection)
        #expect(received == Array((long + "\u{0}next\u{0}").utf8))
    }

    @Test func `what is given up ends its stream, and is not sent any more`() throws {
        let server = LocalServer(path: path, kind: .stream)
        let sink = makeSink()
        try sink.write(String(repeating: "b", count: 1_000_000), level: .error)
        #expect(sink.takeOwed().map(\.level) == [.error])
        #expect(sink.takeOwed().isEmpty)
        let first = server.accept()
        close(first)
        try sink.write("next")
        let connection = server.accept()
        defer { close(connection) }
        #expect(Descriptor.readAvailable(connection) == Array("next\u{0}".utf8))
    }

    @Test func `what a stream took in part is cut for a daemon of datagrams`() throws {
        let stream = LocalServer(path: path, kind: .stream)
        let sink = makeSink()
        try sink.write(String(repeating: "b", count: 1_000_000))
        stream.stop()
        unsafe unlink(path)
        let server = LocalServer(path: path)
        try sink.write("next")
        let cut = String(repeating: "b", count: 65_524) + " [truncated]"
        #expect(server.receiveTexts() == [cut, "next"])
    }

    @Test func `a rest that a daemon of datagrams does not take is lost once`() throws {
        let stream = LocalServer(path: path, kind: .stream)
        let sink = makeSink()
        try sink.write(String(repeating: "b", count: 1_000_000))
        stream.stop()
        unsafe unlink(path)
        let server = LocalServer(path: path)
        // The sink connects, and has to wait.
        server.fill()
        #expect(failure { () throws(SinkError) in try sink.write("next") }?.code == .busy)
        let number = try #require(Descriptor.number(ofSocketTo: path))
        var byteCount: Int32 = 1
        unsafe setsockopt(number, SOL_SOCKET, SO_SNDBUF, &byteCount, 4)
        _ = server.receiveTexts()
        let error = failure { () throws(SinkError) in try sink.write("lost") }
        #expect(error == SinkError(.rejected, systemError: EMSGSIZE))
        try sink.write("after")
        #expect(server.receiveTexts() == ["after"])
    }

    @Test func `a socket of the program's that got our number is left alone`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = LocalServer(path: folder.file("log"))
            let sink = SyslogSink(path: server.path, formatter: PlainFormatter())
            let number = dup(0)
            close(number)
            try sink.write("one")
            var ends: [Int32] = [-1, -1]
            #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
            // As closefrom(3) and a connect(2) of the program.
            #expect(dup2(ends[0], number) == number)
            try sink.write("two")
            #expect(Descriptor.readAvailable(ends[1]).isEmpty)
            #expect(fcntl(number, F_GETFD) >= 0)
            #expect(server.receiveTexts() == ["one", "two"])
        }
    }

    @Test func `what a stream took in part is sent whole to the next one`() throws {
        let server = LocalServer(path: path, kind: .stream)
        let sink = makeSink()
        let long = String(repeating: "b", count: 1_000_000)
        try sink.write(long)
        server.hangUp()
        server.restart()
        #expect(failure { () throws(SinkError) in try sink.flush() }?.code == .busy)
        let connection = server.accept()
        defer { close(connection) }
        var received: [UInt8] = []
        repeat {
            received += Descriptor.readAvailable(connection)
        } while failure { () throws(SinkError) in try sink.flush() } != nil
        received += Descriptor.readAvailable(connection)
        #expect(received == Array((long + "\u{0}").utf8))
    }
}

struct TextCutTests {
    @Test(arguments: [
        ("abc", 3, 3), ("abcd", 3, 3), ("aé", 2, 1), ("aé", 3, 3), ("a€b", 3, 1), ("a€b", 4, 4),
        ("a😀", 4, 1), ("😀", 3, 0), ("abc", 0, 0), ("", 4, 0),
    ])
    func `a text is cut between characters`(text: String, limit: Int, length: Int) {
        #expect(TextCut.boundary(in: text.utf8.span, atMost: limit) == length)
    }

    @Test func `what is not UTF-8 is cut at the limit`() {
        let bytes: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]
        #expect(TextCut.boundary(in: bytes.span, atMost: 6) == 6)
    }
}
