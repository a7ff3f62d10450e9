// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Old files to which other processes still append, while they are compressed.
@Suite(.timeLimit(.minutes(30)))
struct FileSinkGraceTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("app.log") }

    private var names: [String] {
        let (_, output) = Command.run(["/bin/ls", "-A", folder.path])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func makeSink() throws(SinkError) -> FileSink {
        try FileSink(
            path: path,
            formatter: PlainFormatter(),
            rotation: FileRotation(isCompressed: true)
        )
    }

    /// Waits until a condition holds; returns whether it does.
    private func wait(until condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .nanoseconds(Int64(patience))
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1_000)
        }
        return true
    }

    private func isAllCompressed(_ count: Int) -> Bool {
        names == ["app.log"] + (1...count).map { "app.log.\($0).gz" }
    }

    /// What the compressed files hold, from the latest on.
    private func texts(_ count: Int) -> [String] {
        (1...count).map {
            String(
                decoding: Command.run(["/bin/gzip", "-dc", "\(path).\($0).gz"]).output,
                as: UTF8.self
            )
        }
    }

    /// Rotates, and appends to the old file shortly before it is left alone no longer, as a process may
    /// that has not noticed; returns what the file should hold.
    private func rotate(_ sink: FileSink) throws -> String {
        try sink.write("first")
        let file = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(file) }
        let end = ContinuousClock.now + .seconds(1)
        sink.rotate()
        usleep(800_000)
        #expect(Descriptor.write(file, Array("late\n".utf8)) == 5)
        // What a slow machine has written too late may be lost.
        return ContinuousClock.now < end ? "first\nlate\n" : "first\n"
    }

    @Test func `a file that is rotated while another one waits is left alone as long`() throws {
        let sink = try makeSink()
        try sink.write("one")
        sink.rotate()
        usleep(900_000)
        let text = try rotate(sink)
        #expect(wait { isAllCompressed(2) }, "there is \(names)")
        let texts = texts(2)
        #expect(texts[0].hasPrefix(text))
        #expect(texts[1] == "one\n")
    }

    @Test func `a file that has got the name of another one is left alone as long`() throws {
        File.make(path + ".1", "one\n")
        // Zeros that take no room on the disk, but gzip some tenths of a second of a processor.
        File.make(path + ".2")
        #expect(unsafe truncate(path + ".2", 1 << 26) == 0)
        let sink = try makeSink()
        #expect(wait { names.contains { $0.hasPrefix(".app.log.gz-") } })
        let text = try rotate(sink)
        #expect(wait { isAllCompressed(3) }, "there is \(names)")
        let texts = texts(3)
        #expect(texts[0].hasPrefix(text))
        #expect(texts[1] == "one\n")
        #expect(texts[2].utf8.count == 1 << 26)
    }

    @Test func `old files are compressed also where the next rotation is never far`() throws {
        let sink = try makeSink()
        let isCompressed = wait {
            try? sink.write("record")
            sink.rotate()
            usleep(200_000)
            return names.contains { $0.hasSuffix(".gz") && !$0.hasPrefix(".") }
        }
        #expect(isCompressed)
    }
}
