// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// Sinks that no configuration leads to any more have nothing open, and take a record all the same.
@Suite(.timeLimit(.minutes(30)))
struct ClosedSinkTests {
    private let folder = TemporaryFolder()

    @Test func `a file is closed, and opened again by a late record`() throws {
        let path = folder.file("app.log")
        let sink = try FileSink(path: path, formatter: PlainFormatter(), rotation: .size(1_000))
        try sink.write("one")
        sink.close()
        #expect(Descriptor.count(of: path) == 0)
        try sink.write("late")
        #expect(File.text(path) == "one\nlate\n")
        sink.close()
        sink.hold("later")
        #expect(sink.commit() == (1, nil))
        #expect(File.text(path) == "one\nlate\nlater\n")
    }

    @Test func `a stream is closed, and copied again by a late record`() throws {
        let (reader, writer) = Descriptor.pipe()
        let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
        try sink.write("one")
        sink.close()
        try sink.write("late")
        #expect(Descriptor.readAvailable(reader) == Array("one\nlate\n".utf8))
        sink.close()
        close(writer)
        // Nothing of the sink's holds the pipe open.
        #expect(Descriptor.readAll(reader) == [])
        #expect(failure { () throws(SinkError) in try sink.write("gone") }?.code == .unavailable)
    }

    @Test func `connections are ended, and made again by a late record`() throws {
        let server = LocalServer(path: folder.file("log"))
        let local = SyslogSink(path: server.path, formatter: PlainFormatter())
        try local.write("one")
        #expect(Descriptor.number(ofSocketTo: server.path) != nil)
        local.close()
        #expect(Descriptor.number(ofSocketTo: server.path) == nil)
        try local.write("late")
        #expect(server.receiveTexts() == ["one", "late"])
        local.close()

        let remote = NetworkServer(.stream)
        let network = makeNetworkSink(.tcp("127.0.0.1", port: remote.port))
        network.writeOnceConnected("one")
        network.close()
        #expect(Descriptor.number(ofSocketTo: remote.port) == nil)
        network.writeOnceConnected("late")
        #expect(Descriptor.number(ofSocketTo: remote.port) != nil)
    }
}
