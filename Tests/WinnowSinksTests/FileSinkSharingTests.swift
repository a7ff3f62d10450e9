// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Files that several processes rotate, for which several sinks stand here.
@Suite(.timeLimit(.minutes(30)))
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
        LookClock.wait()
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

    @Test func `who opens the file while others write to it ends no line of theirs`() throws {
        let path = path
        let text = String(repeating: "x", count: 4_000)
        let writers = (0..<3).map { _ in
            StartedThread {
                for _ in 0..<100 {
                    let sink = try? FileSink(path: path, formatter: PlainFormatter())
                    for _ in 0..<50 { sink?.hold(text) }
                    if sink?.commit().delivered != 50 { Issue.record("not all is delivered") }
                }
            }
        }
        writers.forEach { $0.join() }
        #expect(File.bytes(path).count == 3 * 100 * 50 * (text.utf8.count + 1))
    }

    @Test func `links that are made at the same time lead each to its file`() throws {
        let (folder, names) = (folder, ["one", "two"])
        let writers = try names.map { name in
            let sink = try FileSink(
                path: folder.file(name),
                formatter: PlainFormatter(),
                rotation: FileRotation(size: 1, kept: .init(count: 0), link: "to-\(name)")
            )
            return StartedThread {
                for _ in 0..<1_000 {
                    try? sink.write(name)
                    let report = sink.takeReport()
                    if report?.contains("link") == true { Issue.record("\(report ?? "")") }
                }
            }
        }
        writers.forEach { $0.join() }
        for name in names {
            #expect(File.text(folder.file("to-\(name)")).hasPrefix("\(name)\n"))
        }
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
        LookClock.wait()
        try one.write("one", at: now)
        #expect(texts == ["two\none\n", "old\ngrows\n"])
    }

    @Test func `a lock that somebody keeps is told like any failure, and the file grows`() throws {
        let sink = try makeSink(.size(4))
        let lock = FolderLock(folder)
        let deadline = ContinuousClock.now + .nanoseconds(Int64(patience))
        var report: String?
        while report == nil, ContinuousClock.now < deadline {
            try sink.write("1234")
            report = sink.takeReport()
            usleep(1_000)
        }
        let reason = "another process holds the lock of the folder"
        #expect(report == "\(path) cannot be rotated, and grows on: \(reason)")
        #expect(texts.count == 1)
        lock.release()
        while texts.count == 1, ContinuousClock.now < deadline {
            try sink.write("1234")
            usleep(1_000)
        }
        #expect(texts.count == 2)
        #expect(sink.takeReport() == nil)
    }

    @Test func `a child that is made meanwhile does not keep the lock of the folder`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let count = 20_000
            for number in 1...count { File.make("\(path).\(number)") }
            let rotation = FileRotation.size(4, keep: 0)
            let sink = try FileSink(path: path, formatter: PlainFormatter(), rotation: rotation)
            // While the thread removes them, the first one first, it has the lock.
            while File.exists("\(path).1") { usleep(100) }
            let child = PausedChild()
            defer { child.end() }
            while File.exists("\(path).\(count)") { usleep(1_000) }
            let deadline = ContinuousClock.now + .nanoseconds(Int64(patience))
            try sink.write("1234")
            // On a busy machine the thread may not have given the lock back yet, and the file grows on.
            repeat {
                try sink.write("5678")
                usleep(1_000)
            } while File.text(path) != "5678\n" && ContinuousClock.now < deadline
            #expect(File.text(path) == "5678\n")
        }
    }

    @Test func `a child that is made meanwhile does not keep the lock of an old file`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            // Zeros that take no room on the disk, but gzip some tenths of a second of a processor.
            File.make(path + ".1")
            #expect(unsafe truncate(path + ".1", 1 << 27) == 0)
            let sink = try FileSink(
                path: path,
                formatter: PlainFormatter(),
                rotation: FileRotation(isCompressed: true)
            )
            let deadline = ContinuousClock.now + .nanoseconds(Int64(patience))
            while !folder.isCompressing, ContinuousClock.now < deadline { usleep(1_000) }
            let child = PausedChild()
            defer { child.end() }
            // What has not the bytes that were read stays as it is.
            #expect(unsafe truncate(path + ".1", 1) == 0)
            while folder.remains != nil, ContinuousClock.now < deadline { usleep(1_000) }
            let file = unsafe open(path + ".1", O_RDONLY | O_CLOEXEC)
            #expect(file >= 0)
            var isLocked = file >= 0
            while isLocked, ContinuousClock.now < deadline {
                isLocked = flock(file, LOCK_EX | LOCK_NB) != 0
                usleep(1_000)
            }
            #expect(!isLocked)
            withExtendedLifetime(sink) {}
        }
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

/// A child of fork(2) that does nothing, with all descriptors that were open.
private struct PausedChild {
    private let process: pid_t

    init() {
        process = fork_()
        guard process == 0 else { return }
        // Where the parent does not end it the kernel does; the threads of a test block signals.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGALRM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        alarm(900)
        while true { pause() }
    }

    func end() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

extension TemporaryFolder {
    /// What an old file is called while it is compressed.
    fileprivate var remains: String? {
        let (_, output) = Command.run(["/bin/ls", "-A", path])
        return String(decoding: output, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(".app.log.gz-") }
            .map { file(String($0)) }
    }

    /// Whether some of it is compressed.
    fileprivate var isCompressing: Bool { remains.map { !File.bytes($0).isEmpty } ?? false }
}
