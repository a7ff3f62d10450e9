// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// eventfd(2), whose header is none of Glibc's; its EFD_NONBLOCK is O_NONBLOCK.
@_silgen_name("eventfd")
private func eventfd(_ number: UInt32, _ flags: Int32) -> Int32

@Suite(.timeLimit(.minutes(30)))
struct StreamSinkTests {
    @Test func `a record is written as the formatter made it`() throws {
        let (reader, writer) = Descriptor.pipe()
        let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
        try sink.write("one")
        try sink.write("two")
        #expect(Descriptor.readAvailable(reader) == Array("one\ntwo\n".utf8))
    }

    @Test func `a descriptor that the program closes or leads elsewhere changes nothing`() throws {
        let (reader, writer) = Descriptor.pipe()
        let (otherReader, otherWriter) = Descriptor.pipe()
        let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
        dup2(otherWriter, writer)
        try sink.write("led elsewhere")
        close(writer)
        try sink.write("closed")
        #expect(Descriptor.readAvailable(reader) == Array("led elsewhere\nclosed\n".utf8))
        #expect(Descriptor.readAvailable(otherReader) == [])
    }

    @Test(arguments: [false, true])
    func `a pipe that nobody empties makes the sink busy`(isNonBlocking: Bool) throws {
        let (reader, writer) = Descriptor.pipe()
        if isNonBlocking { _ = fcntl(writer, F_SETFL, O_NONBLOCK) }
        let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
        let line = String(repeating: "a", count: 1_023)
        var written = 0
        let error = failure { () throws(SinkError) in
            while true {
                try sink.write(line)
                written += 1
            }
        }
        #expect(error == SinkError(.busy, systemError: EAGAIN))
        #expect(Descriptor.readAvailable(reader).count == written * 1_024)
        #expect(Descriptor.isNonBlocking(writer) == isNonBlocking)
    }

    @Test(arguments: [false, true])
    func `a record that the pipe takes in part is completed before the next one`(
        isNonBlocking: Bool
    ) throws {
        let (reader, writer) = Descriptor.pipe()
        if isNonBlocking { _ = fcntl(writer, F_SETFL, O_NONBLOCK) }
        let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
        let long = String(repeating: "b", count: 200_000)
        try sink.write(long)
        #expect(failure { () throws(SinkError) in try sink.write("next") }?.code == .busy)
        #expect(failure { () throws(SinkError) in try sink.flush() }?.code == .busy)
        var received: [UInt8] = []
        repeat {
            received += Descriptor.readAvailable(reader)
        } while failure { () throws(SinkError) in try sink.flush() } != nil
        try sink.write("next")
        received += Descriptor.readAvailable(reader)
        #expect(received == Array((long + "\nnext\n").utf8))
    }

    @Test func `a record that is given up is named, and what follows begins a line`() throws {
        let (reader, writer) = Descriptor.pipe()
        let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
        try sink.write("whole")
        #expect(sink.takeOwed().isEmpty)
        let long = String(repeating: "b", count: 200_000)
        try sink.write(long, level: .warning)
        #expect(sink.takeOwed().map(\.level) == [.warning])
        #expect(sink.takeOwed().isEmpty)
        var received = Descriptor.readAvailable(reader)
        try sink.write("next")
        received += Descriptor.readAvailable(reader)
        let lines = String(decoding: received, as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "whole" && lines.last == "next" && lines.count == 3)
        #expect(lines[1].count < 200_000 && long.hasPrefix(lines[1]))
    }

    @Test(arguments: [false, true])
    func `a pipe that nobody reads is unavailable and no signal`(isMasked: Bool) async {
        await #expect(processExitsWith: .success) { [isMasked] in
            signal(SIGPIPE, SIG_DFL)
            if isMasked { cwinnow_write_expect_signals() }
            let (reader, writer) = Descriptor.pipe()
            let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
            close(reader)
            let error = failure { () throws(SinkError) in try sink.write("lost") }
            #expect(error == SinkError(.unavailable, systemError: EPIPE))
            let (otherReader, otherWriter) = Descriptor.pipe()
            close(otherReader)
            let late = StreamSink(descriptor: otherWriter, formatter: PlainFormatter())
            let lateError = failure { () throws(SinkError) in try late.write("lost") }
            #expect(lateError == SinkError(.unavailable, systemError: EPIPE))
        }
    }

    @Test func `a descriptor that is not open is unavailable`() {
        let sink = StreamSink(descriptor: 9_999, formatter: PlainFormatter())
        let error = failure { () throws(SinkError) in try sink.write("lost") }
        #expect(error == SinkError(.unavailable, systemError: EBADF))
    }

    @Test func `an eventfd, which would take a record for a number, is unavailable`() throws {
        let descriptor = eventfd(0, O_NONBLOCK)
        let sink = StreamSink(descriptor: descriptor, formatter: PlainFormatter())
        let error = failure { () throws(SinkError) in try sink.write("lost in silence") }
        #expect(error == SinkError(.unavailable, systemError: EBADF))
        var number: UInt64 = 0
        #expect(unsafe read(descriptor, &number, 8) < 0 && errno == EAGAIN)
        close(descriptor)
    }

    @Test func `a socket that nobody empties makes the sink busy`() throws {
        var ends: [Int32] = [-1, -1]
        unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let sink = StreamSink(descriptor: ends[0], formatter: PlainFormatter())
        let line = String(repeating: "c", count: 9_999)
        var written = 0
        let error = failure { () throws(SinkError) in
            while true {
                try sink.write(line)
                written += 1
            }
        }
        #expect(error?.code == .busy)
        #expect(!Descriptor.isNonBlocking(ends[0]))
        var received: [UInt8] = []
        repeat {
            received += Descriptor.readAvailable(ends[1])
        } while failure { () throws(SinkError) in try sink.flush() } != nil
        received += Descriptor.readAvailable(ends[1])
        #expect(received.count == written * 10_000)
    }

    @Test func `a terminal is written to, and one that is stopped makes the sink busy`() throws {
        let (main, terminal) = Descriptor.terminal()
        let sink = StreamSink(descriptor: terminal, formatter: PlainFormatter())
        try sink.write("shown")
        #expect(Descriptor.readAvailable(main) == Array("shown\r\n".utf8))
        let error = failure { () throws(SinkError) in
            while true { try sink.write(String(repeating: "d", count: 500)) }
        }
        #expect(error?.code == .busy)
        #expect(!Descriptor.isNonBlocking(terminal))
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can become another user"),
        arguments: [false, true]
    )
    func `a pipe of another user, which cannot be opened anew, does not block either`(
        isMasked: Bool
    ) async {
        await #expect(processExitsWith: .success) { [isMasked] in
            if isMasked { cwinnow_write_expect_signals() }
            let (reader, writer) = Descriptor.pipe()
            #expect(seteuid(65_534) == 0)
            let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
            let line = String(repeating: "e", count: 9_999)
            var written = 0
            let error = failure { () throws(SinkError) in
                while true {
                    try sink.write(line)
                    written += 1
                }
            }
            #expect(error?.code == .busy)
            #expect(!Descriptor.isNonBlocking(writer))
            var received = Descriptor.readAvailable(reader)
            #expect(failure { () throws(SinkError) in try sink.flush() } == nil)
            received += Descriptor.readAvailable(reader)
            #expect(received.count == written * 10_000)
        }
    }
}
