// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// A descriptor of the program's that has got the number of a sink's socket, as after closefrom(3).
@Suite(.timeLimit(.minutes(30)))
struct ForeignSocketTests {
    @Test func `it stays open where the sink opens its socket anew`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = LocalServer(path: folder.file("log"))
            let local = SyslogSink(path: server.path, formatter: PlainFormatter())
            try local.write("one")
            let number = try #require(Descriptor.number(ofSocketTo: server.path))
            let end = Descriptor.makeForeign(number)
            try local.reopen()
            #expect(Descriptor.readAvailable(end).isEmpty)
            #expect(Descriptor.isForeign(number, to: end))

            let remote = NetworkServer(.stream)
            let network = makeNetworkSink(.tcp("127.0.0.1", port: remote.port))
            network.writeOnceConnected("one")
            let other = try #require(Descriptor.number(ofSocketTo: remote.port))
            let otherEnd = Descriptor.makeForeign(other)
            try network.reopen()
            #expect(Descriptor.isForeign(other, to: otherEnd))
        }
    }

    @Test func `it stays open in a child that logs`() async {
        await #expect(processExitsWith: .success) {
            alarm(600)
            let folder = TemporaryFolder()
            let server = LocalServer(path: folder.file("log"))
            let local = SyslogSink(path: server.path, formatter: PlainFormatter())
            try local.write("one")
            let number = try #require(Descriptor.number(ofSocketTo: server.path))
            let remote = NetworkServer(.stream)
            let network = makeNetworkSink(.tcp("127.0.0.1", port: remote.port))
            network.writeOnceConnected("one")
            let other = try #require(Descriptor.number(ofSocketTo: remote.port))
            let child = fork_()
            if child == 0 {
                let ends = [number, other].map(Descriptor.makeForeign)
                _ = failure { () throws(SinkError) in try local.write("two") }
                network.writeOnceConnected("two")
                let isLocalLeft = Descriptor.isForeign(number, to: ends[0])
                let isNetworkLeft = Descriptor.isForeign(other, to: ends[1])
                _exit(isLocalLeft && isNetworkLeft ? 7 : 1)
            }
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child)
            #expect(status >> 8 == 7)
            #expect(server.receiveTexts() == ["one", "two"])
        }
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

extension Descriptor {
    /// Leads a number to a socket of the program's; returns the other end of that.
    fileprivate static func makeForeign(_ number: Int32) -> Int32 {
        var ends: [Int32] = [-1, -1]
        _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends)
        dup2(ends[0], number)
        close(ends[0])
        return ends[1]
    }

    /// Whether a number still leads to the socket that has the other end.
    fileprivate static func isForeign(_ number: Int32, to end: Int32) -> Bool {
        _ = unsafe send(end, "here", 4, Int32(MSG_NOSIGNAL))
        return readAvailable(number) == Array("here".utf8)
    }
}
