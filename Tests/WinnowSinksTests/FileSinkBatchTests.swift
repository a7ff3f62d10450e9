// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Records that the sink holds back and writes together.
@Suite(.timeLimit(.minutes(30)))
struct FileSinkBatchTests {
    @Test func `what is held back is in the file once it is committed, and not before`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("app.log")
        let sink = try FileSink(path: path, formatter: PlainFormatter())
        try sink.write("first")
        sink.hold("second")
        sink.hold("third")
        #expect(File.text(path) == "first\n")
        #expect(sink.commit() == (2, nil))
        #expect(File.text(path) == "first\nsecond\nthird\n")
        #expect(sink.commit() == (0, nil))
        try sink.write("fourth")
        #expect(File.text(path) == "first\nsecond\nthird\nfourth\n")
    }

    @Test func `a batch goes to the file that logrotate has made meanwhile`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("app.log")
        let sink = try FileSink(path: path, formatter: PlainFormatter())
        sink.hold("one")
        unsafe rename(path, folder.file("app.log.1"))
        File.make(path, "")
        LookClock.wait()
        #expect(sink.commit() == (1, nil))
        #expect(File.text(path) == "one\n")
        #expect(File.text(folder.file("app.log.1")).isEmpty)
    }

    @Test func `a file without room takes whole records of a batch, and says how many`()
        async
    {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let sink = try FileSink(path: path, formatter: PlainFormatter())
            var limit = rlimit(rlim_cur: 25, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try sink.reopen()
            for number in 0..<5 { sink.hold("record \(number)") }
            let outcome = sink.commit()
            #expect(outcome == (2, SinkError(.failed, systemError: EFBIG)))
            #expect(File.text(path) == "record 0\nrecord 1\n")
            sink.hold("small")
            #expect(sink.commit() == (1, nil))
            sink.hold("too large")
            let none = sink.commit()
            #expect(none == (0, SinkError(.failed, systemError: EFBIG)))
            #expect(File.text(path) == "record 0\nrecord 1\nsmall\n")
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small file system"))
    func `a full disk takes the whole records of a batch, and the others when it has room`() throws
    {
        let disk = SmallDisk()
        #expect(disk.mount())
        defer { disk.unmount() }
        let path = disk.folder.file("app.log")
        File.make(disk.folder.file("ballast"), String(repeating: "b", count: 8_192))
        let sink = try FileSink(path: path, formatter: PlainFormatter())
        let lines = (0..<100).map { "\($0) " + String(repeating: "a", count: 900) }
        lines.forEach { sink.hold($0) }
        let (count, error) = sink.commit()
        #expect((1..<100).contains(count))
        #expect(error == SinkError(.failed, systemError: ENOSPC))
        #expect(File.text(path) == lines.prefix(count).map { $0 + "\n" }.joined())
        unsafe unlink(disk.folder.file("ballast"))
        lines.dropFirst(count).prefix(5).forEach { sink.hold($0) }
        #expect(sink.commit() == (5, nil))
        #expect(File.text(path) == lines.prefix(count + 5).map { $0 + "\n" }.joined())
    }

    @Test func `the child of a fork writes nothing of what its parent held back`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("app.log")
        let sink = try FileSink(path: path, formatter: PlainFormatter())
        // What Swift makes with the first use is made, as another thread may be at it in the fork.
        sink.hold("first")
        #expect(sink.commit() == (1, nil))
        sink.hold("the parent's")
        let child = fork_()
        if child == 0 {
            endWithinTenMinutes()
            sink.hold("the child's")
            _exit(sink.commit() == (1, nil) ? 0 : 1)
        }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        #expect(status == 0)
        #expect(sink.commit() == (1, nil))
        #expect(File.text(path) == "first\nthe child's\nthe parent's\n")
    }

    @Test func `a sink asks for the end of a batch before it holds a mebibyte`() throws {
        let folder = TemporaryFolder()
        let sink = try FileSink(path: folder.file("app.log"), formatter: PlainFormatter())
        let text = String(repeating: "x", count: 10_000)
        var count = 1
        while !sink.hold(text) { count += 1 }
        #expect(count * text.utf8.count < 1 << 20)
        #expect(sink.commit() == (count, nil))
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

/// Has the kernel end this process after ten minutes, also where it hangs.
private func endWithinTenMinutes() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGALRM)
    // The threads of a test block signals.
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    alarm(600)
}

extension FileSink {
    @discardableResult
    fileprivate func hold(_ message: String) -> Bool {
        withRecord(LogMessage(verbatim: message)) { hold($0) }
    }
}
