// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing

/// A standard error whose reader stalls, goes away, or is none, in a program that is killed by a
/// SIGPIPE.
@Suite(.timeLimit(.minutes(30)))
struct StandardErrorTests {
    /// What the standard error of the program is.
    enum Kind {
        case pipe, nonBlockingPipe, socket
        /// A pipe that the program cannot open anew, and so not make non-blocking either.
        case foreignPipe
    }

    /// What standard error is, and the kernel that the program finds: see `Tests/Kernel/older.py`.
    struct Destination: CustomTestStringConvertible {
        let kind: Kind
        var kernel: String?

        var testDescription: String { kernel.map { "\(kind), \($0)" } ?? "\(kind)" }

        /// What comes in front of the program's path.
        fileprivate var launch: [String] {
            let rights = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
            return (kind == .foreignPipe ? rights : [])
                + (kernel.map { [Self.olderKernel, $0] } ?? [])
        }

        private static let olderKernel = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Kernel/older.py").path
    }

    private static let destinations =
        [.pipe, .nonBlockingPipe, .socket].map { Destination(kind: $0) }
        + ["6.17", "filter"].map { Destination(kind: .pipe, kernel: $0) }
        // Only root can make over a pipe to somebody else.
        + (geteuid() == 0 ? [nil, "6.17", "6.1"] : [])
        .map { Destination(kind: .foreignPipe, kernel: $0) }

    private static let modes = ["immediate", "deferred"]

    /// Logs 10 000 records, some MiB, to the end that a test reads.
    private func run(
        _ destination: Destination,
        _ channel: Channel,
        _ mode: String,
        tasks: [String] = []
    ) throws -> Program.Outcome {
        try Program.run(
            destination.launch
                + ["env", "--default-signal=PIPE", Program.path, "threads=2,5000"] + tasks,
            environment: ["WINNOW_FORMAT": "json", "WINNOW_DELIVERY": mode],
            executable: "/usr/bin/env",
            stderr: FileHandle(fileDescriptor: channel.writer, closeOnDealloc: false)
        )
    }

    /// Expects an account that adds up; of all records, unless the worker may not have taken all.
    private func expectExactAccount(_ outcome: Program.Outcome, isComplete: Bool = true) {
        #expect(outcome.status == 0)
        let accepted = outcome.account("stderr", "accepted") ?? -1
        #expect(isComplete ? accepted == 10_000 : 0...10_000 ~= accepted)
        let settled = ["delivered", "queued", "lost"].reduce(0) {
            $0 + (outcome.account("stderr", $1) ?? 0)
        }
        #expect(settled == accepted)
    }

    @Test(arguments: destinations, modes)
    func `a reader that stalls gets whole records, and all of them or a word of their loss`(
        destination: Destination,
        mode: String
    ) throws {
        let channel = Channel(destination.kind)
        let reader = channel.read(when: { channel.isFull })
        let outcome = try run(destination, channel, mode, tasks: ["flush"])
        channel.closeWriter()
        expectExactAccount(outcome)
        let log = try ReceivedLog(reader.bytes)
        #expect(log.count + log.reportedLost == 10_000)
        #expect(log.isInOrder)
    }

    @Test(arguments: destinations, modes)
    func `a reader that goes away ends neither the program nor its account`(
        destination: Destination,
        mode: String
    ) throws {
        let channel = Channel(destination.kind)
        let reader = channel.read(atMost: 5_000, when: { channel.isFull })
        let outcome = try run(destination, channel, mode)
        expectExactAccount(outcome, isComplete: mode == "immediate")
        #expect(reader.bytes.count >= 5_000)
    }

    @Test(arguments: destinations, modes)
    func `a reader that was never there ends nothing either`(
        destination: Destination,
        mode: String
    ) throws {
        let channel = Channel(destination.kind)
        channel.closeReader()
        let outcome = try run(destination, channel, mode)
        expectExactAccount(outcome, isComplete: mode == "immediate")
        #expect(outcome.account("stderr", "delivered") == 0)
    }

    /// Whoever waits for it is killed after five minutes, which fails.
    @Test(arguments: modes)
    func `a flush does not wait for a pipe whose reader is gone`(mode: String) throws {
        let outcome = try Program.run(
            ["-c", "{ sleep 0.3; '\(Program.path)' say=text flush=1000; } 2>&1 >/dev/null | true"],
            environment: ["WINNOW_DELIVERY": mode, "WINNOW_SINKS": "stderr"],
            executable: "/bin/sh"
        )
        #expect(outcome.status == 0)
    }

    @Test(arguments: destinations.filter { $0.kind != .socket }, modes)
    func `a pipe that nobody reads holds whole records, and all that count as delivered`(
        destination: Destination,
        mode: String
    ) throws {
        let channel = Channel(destination.kind)
        // A flush in vain takes five seconds; without one the worker may still have records to take.
        let outcome = try run(
            destination,
            channel,
            mode,
            tasks: mode == "deferred" ? ["flush"] : []
        )
        expectExactAccount(outcome)
        #expect(channel.isNonBlocking == (destination.kind == .nonBlockingPipe))
        channel.closeWriter()
        let log = try ReceivedLog(channel.read(when: { true }).bytes)
        // At its end the program has made the pipe larger.
        #expect(log.count >= outcome.account("stderr", "delivered") ?? .max)
        #expect(log.count > 100)
        #expect(log.isInOrder)
    }
}

/// What came through, a JSON object a line.
private struct ReceivedLog {
    private var numbers: [[Int]] = [[], []]
    /// The losses that the log itself reports.
    private(set) var reportedLost = 0

    /// Reads the lines; one that is no object is an error.
    init(_ bytes: [UInt8]) throws {
        for line in bytes.split(separator: 0x0A) {
            // The word of a sink that took nothing for seconds, which no other route takes.
            if line.starts(with: "winnow: stderr ".utf8) { continue }
            let parsed = try JSONSerialization.jsonObject(with: Data(line))
            let object = try #require(parsed as? [String: Any])
            let words = (object["message"] as? String ?? "").split(separator: " ")
            if words.count == 4, words[0] == "thread" {
                let thread = try #require(Int(words[1]))
                numbers[thread].append(try #require(Int(words[3])))
            } else {
                let fields = object["fields"] as? [String: Any]
                reportedLost += fields?["winnow_lost"] as? Int ?? 0
            }
        }
    }

    var count: Int { numbers[0].count + numbers[1].count }

    /// Whether the records of each thread stand in their order, each once.
    var isInOrder: Bool {
        numbers.allSatisfy { numbers in zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } }
    }
}

/// Two ends, one of which a program gets as its standard error.
private final class Channel: @unchecked Sendable {
    // SAFETY: each end is used by one thread, and closed after that.
    let writer: Int32
    private var reader: Int32
    private var isWriterOpen = true

    init(_ kind: StandardErrorTests.Kind) {
        if kind == .socket {
            var ends: [Int32] = [-1, -1]
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends)
            (reader, writer) = (ends[0], ends[1])
        } else {
            (reader, writer) = makePipe()
            // F_SETPIPE_SZ of fcntl(2): less where many pipes of the user are open.
            _ = fcntl(writer, 1_031, 65_536)
        }
        if kind == .nonBlockingPipe { _ = fcntl(writer, F_SETFL, O_NONBLOCK) }
        if kind == .foreignPipe { fchown(writer, 65_534, 65_534) }
    }

    deinit {
        closeWriter()
        closeReader()
    }

    func closeWriter() {
        if isWriterOpen { close(writer) }
        isWriterOpen = false
    }

    func closeReader() {
        if reader >= 0 { close(reader) }
        reader = -1
    }

    var isNonBlocking: Bool { fcntl(writer, F_GETFL) & O_NONBLOCK != 0 }

    /// Whether the program finds no room any more.
    var isFull: Bool {
        var wait = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&wait, 1, 0) == 0
    }

    /// Starts to read on another thread, once the condition holds; to the end, or up to so many bytes,
    /// at which the reader goes away.
    func read(
        atMost limit: Int = .max,
        when condition: @escaping @Sendable () -> Bool
    ) -> Reading {
        Reading { [self] in
            while !condition() { usleep(1_000) }
            // The program waits, gives up, and tries again meanwhile.
            usleep(300_000)
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while bytes.count < limit {
                let count = unsafe Glibc.read(reader, &chunk, min(chunk.count, limit - bytes.count))
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            closeReader()
            return bytes
        }
    }

    /// What another thread reads.
    final class Reading: @unchecked Sendable {
        // SAFETY: the bytes are written before the thread ends and read after.
        private var read: [UInt8] = []
        private var thread: StartedThread?

        init(_ body: @escaping @Sendable () -> [UInt8]) {
            thread = StartedThread { [self] in read = body() }
        }

        /// What was read; waits for its end.
        var bytes: [UInt8] {
            thread?.join()
            thread = nil
            return read
        }
    }
}
