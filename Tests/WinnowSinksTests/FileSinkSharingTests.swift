// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Files that several processes rotate, for which several sinks stand here.
@Suite(.timeLimit(.minutes(15)))
struct FileSinkSharingTests {
    private let folder = TemporaryFolder()
    private let now = UInt64(time(nil)) * 1_000_000_000
    private var yesterday: UInt64 { now - 86_400_000_000_000 }
    private var path: String { folder.file("app.log") }

    private func makeSink(_ rotation: FileRotation) throws(SinkError) -> FileSink {
        try FileSink(path: path, formatter: PlainFormatter(), rotation: rotation)
    }

    private func makeFileOfYesterday(_ text: String) {
        File.make(path, text)
        Command.run(["/usr/bin/touch", "-d", "@\(yesterday / 1_000_000_000)", path])
    }

    /// What the file and the old ones hold, up to the first that is not there.
    private var texts: [String] {
        let old = (1...).lazy.map { "\(path).\($0)" }.prefix(while: File.exists)
        return [File.text(path)] + old.map(File.text)
    }

    @Test(arguments: [FileRotation.hourly(), .daily()], [false, true])
    func `of several processes one rotates when a period is over`(
        rotation: FileRotation,
        isBatch: Bool
    ) throws {
        makeFileOfYesterday("old\n")
        let sinks = try (0..<4).map { _ in try makeSink(rotation) }
        // From then on each finds at once what another has put at the path.
        usleep(110_000)
        for (number, sink) in sinks.enumerated() {
            if isBatch {
                sink.hold("record \(number)", at: now)
                #expect(sink.commit() == (1, nil))
            } else {
                try sink.write("record \(number)", at: now)
            }
        }
        #expect(texts == [(0..<4).map { "record \($0)\n" }.joined(), "old\n"])
    }

    @Test func `a file that was begun for its size when a period was over is of the new one`()
        throws
    {
        makeFileOfYesterday("12345678\n")
        let sink = try makeSink(FileRotation(size: 12, period: .day))
        try sink.write("late", at: yesterday)
        try sink.write("today", at: now)
        #expect(texts == ["late\ntoday\n", "12345678\n"])
    }

    @Test func `what a process could not rotate another one has`() throws {
        makeFileOfYesterday("old\n")
        let (one, two) = (try makeSink(.daily()), try makeSink(.daily()))
        let lock = FolderLock(folder)
        try one.write("grows", at: now)
        lock.release()
        try two.write("two", at: now)
        usleep(110_000)
        try one.write("one", at: now)
        #expect(texts == ["two\none\n", "old\ngrows\n"])
    }
}

/// The lock of a folder, which changes of its names are made under.
private struct FolderLock {
    private let descriptor: Int32

    init(_ folder: TemporaryFolder) {
        descriptor = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
    }

    func release() { close(descriptor) }
}

extension FileSink {
    fileprivate func write(_ message: String, at time: UInt64) throws(SinkError) {
        try withRecord(LogMessage(verbatim: message), timestamp: time) {
            record throws(SinkError) in
            try write(record)
        }
    }

    @discardableResult
    fileprivate func hold(_ message: String, at time: UInt64) -> Bool {
        withRecord(LogMessage(verbatim: message), timestamp: time) { hold($0) }
    }
}
