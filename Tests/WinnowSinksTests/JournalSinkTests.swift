// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// The sink before a socket that the test reads itself.
@Suite(.timeLimit(.minutes(30)))
struct JournalSinkTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("socket") }

    private func makeSink() -> JournalSink {
        JournalSink(path: path, identifier: "app", facility: .user)
    }

    @Test func `an entry is a datagram without a descriptor`() throws {
        let server = LocalServer(path: path)
        let sink = makeSink()
        try sink.write("one")
        try sink.write("x\nPRIORITY=0\n\nMESSAGE=forged")
        let first = try #require(server.receive())
        #expect(first.descriptor == -1)
        #expect(JournalEntry(first.bytes)["MESSAGE"] == "one")
        let second = try #require(server.receive())
        #expect(JournalEntry.all(in: second.bytes).count == 1)
        #expect(JournalEntry(second.bytes)["MESSAGE"] == "x\nPRIORITY=0\n\nMESSAGE=forged")
        #expect(JournalEntry(second.bytes)["PRIORITY"] == "5")
        #expect(server.receive() == nil)
    }

    @Test func `a large entry is a memory file sealed against every change`() throws {
        let server = LocalServer(path: path)
        let message = String(repeating: "a", count: 1 << 20)
        try makeSink().write(message)
        let datagram = try #require(server.receive())
        #expect(datagram.bytes == [])
        try #require(datagram.descriptor >= 0)
        defer { close(datagram.descriptor) }
        // F_GET_SEALS of fcntl(2): F_SEAL_SEAL, _SHRINK, _GROW and _WRITE, and no other.
        #expect(fcntl(datagram.descriptor, 1_034) == 0xF)
        lseek(datagram.descriptor, 0, SEEK_SET)
        let entry = JournalEntry(Descriptor.readAll(datagram.descriptor))
        #expect(entry["MESSAGE"] == message)
        #expect(entry["SYSLOG_IDENTIFIER"] == "app")
    }

    @Test func `neither large entries nor new connections leave descriptors behind`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = LocalServer(path: folder.file("socket"))
            let sink = JournalSink(path: server.path, identifier: "app", facility: .user)
            let message = String(repeating: "a", count: 1 << 20)
            try sink.write("first")
            _ = server.receive()
            let lowest = dup(0)
            close(lowest)
            for _ in 0..<50 {
                try sink.write(message)
                if let descriptor = server.receive()?.descriptor { close(descriptor) }
                server.restart()
                try sink.write("small")
                try sink.reopen()
                _ = failure { () throws(SinkError) in try sink.write("small") }
            }
            let next = dup(0)
            // The runtime may have opened one of its own meanwhile; a leak would be of 100.
            #expect(next < lowest + 10)
        }
    }

    @Test func `a large entry without a descriptor to spare fails and is not lost`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = LocalServer(path: folder.file("socket"))
            let sink = JournalSink(path: server.path, identifier: "app", facility: .user)
            try sink.write("small")
            let message = String(repeating: "a", count: 1 << 20)
            var taken: [Int32] = []
            while let descriptor = Optional(dup(0)), descriptor >= 0 { taken.append(descriptor) }
            let error = failure { () throws(SinkError) in try sink.write(message) }
            let small = failure { () throws(SinkError) in try sink.write("small") }
            for descriptor in taken { close(descriptor) }
            #expect(error == SinkError(.failed, systemError: EMFILE))
            #expect(small == nil)
            try sink.write(message)
            #expect(server.receive()?.descriptor == -1)
            #expect(server.receive()?.descriptor == -1)
            #expect((server.receive()?.descriptor ?? -1) >= 0)
        }
    }

    @Test func `no journald is unavailable, and one that comes is found`() throws {
        let sink = makeSink()
        let error = failure { () throws(SinkError) in try sink.write("lost") }
        #expect(error == SinkError(.unavailable, systemError: ENOENT))
        let server = LocalServer(path: path)
        try sink.reopen()
        try sink.write("kept")
        #expect(server.receive() != nil)
    }

    @Test func `a socket that a dead journald left is unavailable`() throws {
        LocalServer(path: path).stop()
        let error = failure { () throws(SinkError) in try makeSink().write("lost") }
        #expect(error == SinkError(.unavailable, systemError: ECONNREFUSED))
    }

    @Test func `a journald that dies is unavailable, and one that was restarted gets the next`()
        throws
    {
        let server = LocalServer(path: path)
        let sink = makeSink()
        try sink.write("before")
        server.restart()
        try sink.write("after")
        #expect(server.receive().map { JournalEntry($0.bytes)["MESSAGE"] } == "after")
        server.stop()
        #expect(failure { () throws(SinkError) in try sink.write("lost") }?.code == .unavailable)
        server.restart()
        try sink.reopen()
        try sink.write("kept")
        #expect(server.receive().map { JournalEntry($0.bytes)["MESSAGE"] } == "kept")
    }

    @Test(arguments: [10, 1 << 20])
    func `a journald that reads nothing makes the sink busy`(messageByteCount: Int) throws {
        let server = LocalServer(path: path)
        let sink = makeSink()
        let message = String(repeating: "a", count: messageByteCount)
        var written = 0
        let error = failure { () throws(SinkError) in
            while true {
                try sink.write(message)
                written += 1
            }
        }
        #expect(error == SinkError(.busy, systemError: EAGAIN))
        var received = 0
        while let datagram = server.receive() {
            if datagram.descriptor >= 0 { close(datagram.descriptor) }
            received += 1
        }
        #expect(received == written)
        try sink.write(message)
        #expect(server.receive() != nil)
    }

    @Test func `an identifier with a line break forges nothing`() throws {
        let server = LocalServer(path: path)
        let sink = JournalSink(path: path, identifier: "a\nPRIORITY=0", facility: .user)
        try sink.write("m", level: .info)
        let entry = JournalEntry(try #require(server.receive()).bytes)
        #expect(entry["SYSLOG_IDENTIFIER"] == "a\nPRIORITY=0")
        #expect(entry["PRIORITY"] == "6")
    }
}
