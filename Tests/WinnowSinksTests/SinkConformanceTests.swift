// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowSinks
import WinnowTesting

/// Our own sinks before the checks that every sink can be run through.
@Suite(.timeLimit(.minutes(30)))
struct SinkConformanceTests {
    static let formatters: [any Formatter] = [TextFormatter(), JSONFormatter(), LogfmtFormatter()]

    @Test(arguments: formatters.indices)
    func `a file keeps the laws`(formatter: Int) async throws {
        let conformance = SinkConformance {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            var subject = SinkConformance.Subject(
                try FileSink(path: path, formatter: Self.formatters[formatter])
            )
            subject.delivered = { FormatterConformance.lines(File.bytes(path)) }
            subject.relocate = { unsafe rename(path, folder.file("app.log.1")) }
            return subject
        }
        try await conformance.patient.run().verify(
            unchecked: [.refusal, .boundedTime, .signals, .descriptors]
        )
    }

    @Test(arguments: [
        FileRotation(size: 4_096), FileRotation(size: 1), FileRotation(atStart: true),
    ])
    func `a file that rotates keeps the laws`(rotation: FileRotation) async throws {
        var conformance = SinkConformance {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            var subject = SinkConformance.Subject(
                try FileSink(path: path, formatter: TextFormatter(), rotation: rotation)
            )
            subject.delivered = {
                let old = sequence(first: 1) { $0 + 1 }.lazy.map { folder.file("app.log.\($0)") }
                let files = Array(old.prefix { File.exists($0) }).reversed() + [path]
                return files.flatMap { FormatterConformance.lines(File.bytes($0)) }
            }
            return subject
        }
        // One call may rotate for each of some thousand records, and each time renames all old files.
        conformance.callLimit = .seconds(300)
        try await conformance.patient.run().verify(
            unchecked: [.refusal, .boundedTime, .relocation, .signals, .descriptors]
        )
    }

    @Test func `a file that may not grow keeps the laws`() async {
        // The limit belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let folderPath = folder.path
            FileSizeLimits.set(1 << 40)
            let conformance = SinkConformance {
                let path = "\(folderPath)/\(UInt64.random(in: 0...(.max))).log"
                var subject = SinkConformance.Subject(
                    try FileSink(path: path, formatter: TextFormatter())
                )
                subject.delivered = { FormatterConformance.lines(File.bytes(path)) }
                subject.outage = .init(
                    .failed,
                    begin: { FileSizeLimits.set(File.bytes(path).count + 10) },
                    end: { FileSizeLimits.set(1 << 40) }
                )
                return subject
            }
            try await conformance.patient.run().verify(unchecked: [.boundedTime, .relocation])
            withExtendedLifetime(folder) {}
        }
    }

    @Test(arguments: [false, true])
    func `a pipe keeps the laws`(isNonBlocking: Bool) async throws {
        let conformance = SinkConformance {
            let folder = TemporaryFolder()
            let fifo = FIFO(folder.file("fifo"))
            let writer = fifo.writer(isNonBlocking: isNonBlocking)
            let sink = StreamSink(descriptor: writer, formatter: TextFormatter())
            close(writer)
            let reader = BackgroundReader { fifo.read() }
            var subject = SinkConformance.Subject(sink)
            subject.delivered = {
                withExtendedLifetime(folder) { FormatterConformance.lines(reader.bytes) }
            }
            subject.stall = .init(.busy, begin: { reader.pause() }, end: { reader.resume() })
            subject.outage = .init(
                .unavailable,
                begin: { reader.afterLast { fifo.hangUp() } },
                end: { fifo.open() }
            )
            return subject
        }
        try await conformance.patient.run().verify(unchecked: [.relocation])
    }

    @Test func `a terminal keeps the laws`() async throws {
        let conformance = SinkConformance {
            let (main, terminal) = Descriptor.terminal()
            let sink = StreamSink(descriptor: terminal, formatter: TextFormatter())
            close(terminal)
            let reader = BackgroundReader { [Descriptor.readAvailable(main)] }
            var subject = SinkConformance.Subject(sink)
            subject.delivered = {
                // The terminal makes two characters of a line feed: ONLCR of termios(3).
                FormatterConformance.lines(reader.bytes).map {
                    $0.last == 0x0D ? $0.dropLast() : $0
                }
            }
            subject.stall = .init(.busy, begin: { reader.pause() }, end: { reader.resume() })
            return subject
        }
        try await conformance.patient.run().verify(
            unchecked: [.refusal, .relocation, .signals, .descriptors]
        )
    }

    @Test func `a socket pair keeps the laws`() async throws {
        let conformance = SinkConformance {
            var ends: [Int32] = [-1, -1]
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends)
            let sink = StreamSink(descriptor: ends[0], formatter: JSONFormatter())
            close(ends[0])
            let end = ends[1]
            let reader = BackgroundReader { [Descriptor.readAvailable(end)] }
            var subject = SinkConformance.Subject(sink)
            subject.delivered = { FormatterConformance.lines(reader.bytes) }
            subject.stall = .init(.busy, begin: { reader.pause() }, end: { reader.resume() })
            return subject
        }
        try await conformance.patient.run().verify(
            unchecked: [.refusal, .relocation, .signals, .descriptors]
        )
    }

    @Test(arguments: ["pipe", "socket", "terminal"])
    func `a reader that is gone for good raises no signal and leaves no descriptor`(
        kind: String
    ) async throws {
        var conformance = SinkConformance {
            var ends: [Int32] = [-1, -1]
            switch kind {
            case "pipe": (ends[0], ends[1]) = Descriptor.pipe()
            case "terminal": (ends[0], ends[1]) = Descriptor.terminal()
            default: unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends)
            }
            let (reader, writer) = (ends[0], ends[1])
            let sink = StreamSink(descriptor: writer, formatter: TextFormatter())
            close(writer)
            var subject = SinkConformance.Subject(sink)
            subject.outage = .init(.unavailable, begin: { close(reader) }, end: {})
            return subject
        }
        conformance.laws = [.signals, .descriptors]
        try await conformance.patient.run().verify()
    }

    @Test func `memory keeps the laws`() async throws {
        let conformance = SinkConformance {
            let sink = InMemorySink()
            var subject = SinkConformance.Subject(sink)
            subject.delivered = { sink.records.map { Array($0.message.utf8) } }
            subject.isText = false
            return subject
        }
        try await conformance.patient.run().verify(
            unchecked: [.refusal, .boundedTime, .relocation, .signals, .descriptors]
        )
    }
}

/// The sinks of local sockets.
@Suite(.timeLimit(.minutes(30)))
struct SocketConformanceTests {
    /// The checks of a sink before a datagram socket.
    private func conformance(
        isText: Bool = true,
        wholeByteCount: Int = .max,
        parse: @escaping @Sendable ([UInt8]) -> [[UInt8]],
        _ makeSink: @escaping @Sendable (_ path: String) -> any Sink
    ) -> SinkConformance {
        SinkConformance {
            let folder = TemporaryFolder()
            let receiver = DatagramReceiver(path: folder.file("log"))
            let reader = BackgroundReader { receiver.read() }
            var subject = SinkConformance.Subject(makeSink(folder.file("log")))
            subject.isText = isText
            subject.wholeByteCount = wholeByteCount
            subject.delivered = { withExtendedLifetime(folder) { reader.pieces.flatMap(parse) } }
            subject.stall = .init(.busy, begin: { reader.pause() }, end: { reader.resume() })
            subject.outage = .init(
                .unavailable,
                begin: { reader.afterLast { receiver.stop() } },
                end: { reader.afterLast { receiver.restart() } }
            )
            // A daemon that was started anew: its socket is another one at the same path.
            subject.relocate = {
                reader.afterLast { receiver.restart() }
                reader.removeAll()
            }
            return subject
        }
    }

    @Test func `syslog keeps the laws`() async throws {
        // It cuts what does not fit into a datagram of 64 KiB.
        let conformance = conformance(wholeByteCount: 60_000, parse: { [$0] }) { path in
            SyslogSink(path: path, formatter: LocalSyslogFormatter(identifier: "app"))
        }
        try await conformance.patient.run().verify()
    }

    @Test func `syslog over a stream keeps the laws`() async throws {
        let conformance = SinkConformance {
            let folder = TemporaryFolder()
            let receiver = StreamReceiver(path: folder.file("log"))
            let reader = BackgroundReader { receiver.read() }
            var subject = SinkConformance.Subject(
                SyslogSink(
                    path: folder.file("log"),
                    formatter: LocalSyslogFormatter(identifier: "app")
                )
            )
            subject.delivered = {
                withExtendedLifetime(folder) {
                    reader.bytes.split(separator: 0, omittingEmptySubsequences: false)
                        .dropLast().map(Array.init)
                }
            }
            subject.stall = .init(.busy, begin: { reader.pause() }, end: { reader.resume() })
            subject.outage = .init(
                .unavailable,
                begin: { reader.afterLast { receiver.stop() } },
                end: { reader.afterLast { receiver.restart() } }
            )
            return subject
        }
        try await conformance.patient.run().verify(unchecked: [.relocation])
    }

    @Test func `the native protocol of journald keeps the laws`() async throws {
        let conformance = conformance(
            isText: false,
            parse: { JournalEntry.all(in: $0).map(\.message) },
            { path in JournalSink(path: path, identifier: "app", facility: .user) }
        )
        try await conformance.patient.run().verify()
    }

    @Test(
        .enabled(
            if: unsafe getenv("WINNOW_TEST_JOURNAL") != nil,
            "no journald reachable: run ./Tests/run"
        )
    )
    func `journald itself keeps the laws with us`() async throws {
        let conformance = SinkConformance {
            let identifier = "winnow-\(getpid())-\(UInt64.random(in: 0...(.max)))"
            var subject = SinkConformance.Subject(
                JournalSink(identifier: identifier, facility: .local3)
            )
            subject.isText = false
            subject.delivered = {
                let command = ["journalctl", "-q", "-a", "-o", "export", "-t", identifier]
                return JournalEntry.all(in: Command.run(["/usr/bin/env"] + command).output)
                    .map(\.message)
            }
            return subject
        }
        try await conformance.patient.run().verify(
            unchecked: [.refusal, .boundedTime, .relocation, .signals, .descriptors]
        )
    }
}

extension JournalEntry {
    /// The message, as bytes; where there is not one, what no record holds.
    fileprivate var message: [UInt8] {
        let found = fields.filter { $0.name == "MESSAGE" }
        return found.count == 1 ? found[0].value : Array("\(found.count) messages".utf8)
    }
}

/// RLIMIT_FSIZE of getrlimit(2), for a process that exits with the test.
private enum FileSizeLimits {
    static func set(_ byteCount: Int) {
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(1) << 40)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}
