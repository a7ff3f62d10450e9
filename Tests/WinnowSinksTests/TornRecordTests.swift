// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Records that a pipe has taken in part, and what is written behind them.
@Suite(.timeLimit(.minutes(30)))
struct TornRecordTests {
    private static let long = String(repeating: "b", count: 200_000)

    @Test func `a record whose reader has gone away comes whole to the next one`() throws {
        let fifo = LogFIFO()
        let sink = StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
        try sink.write(Self.long)
        fifo.closeReader()
        let error = failure { () throws(SinkError) in try sink.write("next") }
        #expect(error == SinkError(.unavailable, systemError: EPIPE))
        fifo.openReader()
        let lines = fifo.lines(after: "next", to: sink)
        #expect(lines.count == 3 && Self.long.hasPrefix(lines[0]) && lines[0] != Self.long)
        #expect(lines.dropFirst() == [Self.long, "next"])
        #expect(sink.takeOwed().isEmpty)
    }

    @Test func `a record whose reader goes away at once comes whole when it is tried again`() throws
    {
        let fifo = LogFIFO()
        let sink = StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
        let thread = fifo.closingWhenFull()
        let error = failure { () throws(SinkError) in try sink.write(Self.long) }
        thread.join()
        fifo.openReader()
        guard error == SinkError(.unavailable, systemError: EPIPE) else {
            // The reader went away too late for the sink to see it: nothing has happened.
            #expect(error == nil && fifo.lines(after: "next", to: sink) == [Self.long, "next"])
            return
        }
        let again = fifo.text(after: Self.long, to: sink)
        let lines = LogFIFO.lines(of: again + fifo.text(after: "next", to: sink))
        #expect(lines.count == 3 && Self.long.hasPrefix(lines[0]) && lines[0] != Self.long)
        #expect(lines.dropFirst() == [Self.long, "next"])
    }

    @Test func `a record without a reader is owed until it is given up`() throws {
        let (reader, writer) = Descriptor.pipe()
        let sink = StreamSink(descriptor: writer, formatter: PlainFormatter())
        try sink.write(Self.long, level: .warning)
        close(reader)
        #expect(failure { () throws(SinkError) in try sink.flush() }?.code == .unavailable)
        #expect(sink.takeOwed().map(\.level) == [.warning])
        #expect(failure { () throws(SinkError) in try sink.flush() } == nil)
    }

    @Test func `another sink completes the record before it writes its own`() throws {
        let fifo = LogFIFO()
        let sink = StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
        let other = StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
        try sink.write(Self.long)
        #expect(failure { () throws(SinkError) in try other.write("other") }?.code == .busy)
        #expect(other.takeOwed().isEmpty)
        #expect(fifo.lines(after: "other", to: other) == [Self.long, "other"])
        #expect(sink.takeOwed().isEmpty)
    }

    @Test(arguments: [false, true])
    func `a sink of the next configuration begins a line`(isLate: Bool) throws {
        let fifo = LogFIFO()
        var sink: StreamSink? = StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
        try sink?.write(Self.long, level: .error)
        func make() -> StreamSink {
            StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
        }
        let early = isLate ? nil : make()
        #expect(sink?.takeOwed().map(\.level) == [.error])
        sink = nil
        let next = early ?? make()
        let lines = fifo.lines(after: "next", to: next)
        #expect(lines.count == 2 && Self.long.hasPrefix(lines[0]) && lines[0] != Self.long)
        #expect(lines.last == "next")
    }

    @Test func `a child leaves the rest to its parent, and begins a line`() async {
        await #expect(processExitsWith: .success) {
            alarm(600)
            let fifo = LogFIFO()
            let sink = StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
            try sink.write(Self.long)
            let child = fork_()
            if child == 0 {
                let piece = fifo.available()
                guard Self.long.hasPrefix(piece), piece != "" else { _exit(1) }
                try sink.write("child")
                guard sink.takeOwed().isEmpty else { _exit(2) }
                _exit(7)
            }
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child)
            #expect(status >> 8 == 7)
            let lines = fifo.lines(after: "parent", to: sink)
            #expect(lines.prefix(2) == ["", "child"] && lines.last == "parent" && lines.count == 4)
            #expect(lines.dropFirst(2).first.map { Self.long.hasSuffix($0) } == true)
        }
    }

    @Test func `the records of sinks that share a pipe stay whole`() throws {
        let fifo = LogFIFO()
        let sinks = (0..<4).map { _ in
            StreamSink(descriptor: fifo.writer, formatter: PlainFormatter())
        }
        let reader = BackgroundReader { [Array(fifo.available().utf8)] }
        let threads = sinks.indices.map { index in
            StartedThread {
                for number in 0..<100 {
                    let letter = String(UnicodeScalar(UInt8(97 + index)))
                    let line = String(repeating: letter, count: 100 + number % 7 * 3_000)
                    while failure({ () throws(SinkError) in try sinks[index].write(line) }) != nil {
                    }
                }
            }
        }
        threads.forEach { $0.join() }
        let deadline = ContinuousClock.now + .seconds(60)
        while failure({ () throws(SinkError) in try sinks[0].flush() }) != nil,
            ContinuousClock.now < deadline
        {}
        var lines: [Substring] = []
        repeat {
            usleep(1_000)
            let text = String(decoding: reader.bytes, as: UTF8.self)
            lines = text.split(separator: "\n")
        } while lines.count < 400 && ContinuousClock.now < deadline
        let torn = lines.filter { ($0.count - 100) % 3_000 != 0 || Set($0).count != 1 }
        #expect(lines.count == 400 && torn.isEmpty)
    }
}

/// A FIFO whose reader may go away and come back.
private final class LogFIFO: @unchecked Sendable {
    let writer: Int32
    private let folder = TemporaryFolder()
    // SAFETY: used by one thread at a time.
    private var reader: Int32 = -1

    init() {
        let path = folder.file("fifo")
        unsafe mkfifo(path, 0o600)
        reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        writer = unsafe open(path, O_WRONLY | O_CLOEXEC)
    }

    deinit {
        close(reader)
        close(writer)
    }

    func closeReader() {
        close(reader)
    }

    func openReader() {
        reader = unsafe open(folder.file("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    /// Closes the reader as soon as the pipe takes no more, on a thread of its own.
    func closingWhenFull() -> StartedThread {
        StartedThread {
            var wait = pollfd(fd: self.writer, events: Int16(POLLOUT), revents: 0)
            let deadline = ContinuousClock.now + .seconds(10)
            while unsafe poll(&wait, 1, 0) == 1, ContinuousClock.now < deadline {}
            self.closeReader()
        }
    }

    /// Reads what is there now.
    func available() -> String {
        String(decoding: Descriptor.readAvailable(reader), as: UTF8.self)
    }

    /// Reads until the sink takes the record, and what it has written.
    func text(after record: String, to sink: StreamSink) -> String {
        var text = ""
        let deadline = ContinuousClock.now + .seconds(30)
        repeat {
            text += available()
        } while failure { () throws(SinkError) in try sink.write(record) } != nil
            && ContinuousClock.now < deadline
        return text + available()
    }

    /// Reads the same; returns the lines.
    func lines(after record: String, to sink: StreamSink) -> [String] {
        Self.lines(of: text(after: record, to: sink))
    }

    /// Returns the lines of a text.
    static func lines(of text: String) -> [String] {
        text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32
