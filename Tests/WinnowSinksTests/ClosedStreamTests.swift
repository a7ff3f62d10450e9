// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing
import WinnowCore
import WinnowFormatters
import WinnowSinks

/// What a program prints that has closed its standard output: none of it comes into the log, whose
/// descriptors could get the number.
@Suite(.timeLimit(.minutes(30)))
struct ClosedStreamTests {
    /// Calls the body while a thread prints to a closed descriptor 1.
    private func whilePrinting(_ body: () throws -> Void) rethrows {
        close(STDOUT_FILENO)
        let isOver = Atomic(false)
        try withoutActuallyEscaping(body) { body in
            let printer = StartedThread {
                let text = Array("\nFORGED=by a print\n".utf8)
                while !isOver.load(ordering: .relaxed) {
                    _ = unsafe write(STDOUT_FILENO, text, text.count)
                }
            }
            defer {
                isOver.store(true, ordering: .relaxed)
                printer.join()
            }
            try body()
        }
    }

    @Test func `it is not in large entries for the journal`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = LocalServer(path: folder.file("journal"))
            let sink = JournalSink(path: server.path, identifier: "test", facility: .user)
            let text = String(repeating: "x", count: 1 << 21)
            try ClosedStreamTests().whilePrinting {
                for _ in 0..<20 {
                    try sink.write(text)
                    let file = try #require(server.receive()?.descriptor)
                    lseek(file, 0, SEEK_SET)
                    let bytes = Descriptor.readAll(file)
                    close(file)
                    #expect(bytes.starts(with: "MESSAGE".utf8))
                    #expect(bytes.count < text.utf8.count + 1_000)
                    #expect(bytes.last == UInt8(ascii: "\n"))
                    let end = String(decoding: bytes.suffix(1_000), as: UTF8.self)
                    #expect(!end.contains("FORGED"))
                }
            }
        }
    }

    @Test func `it is not sent to a daemon`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let server = LocalServer(path: folder.file("log"))
            let sink = SyslogSink(path: server.path, formatter: PlainFormatter())
            try ClosedStreamTests().whilePrinting {
                for _ in 0..<200 {
                    try sink.write("one")
                    sink.close()
                    #expect(server.receiveTexts() == ["one"])
                }
            }
        }
    }
}
