// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

@Suite(.timeLimit(.minutes(30)))
struct FileSinkTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("app.log") }

    private func makeSink() throws(SinkError) -> FileSink {
        try FileSink(path: path, formatter: PlainFormatter())
    }

    /// Writes until the condition holds; the sink looks at its path only now and then.
    private func write(_ message: String, to sink: FileSink, until condition: () -> Bool) throws {
        repeat {
            try sink.write(message)
        } while !condition()
    }

    @Test func `records are appended to what the file holds`() throws {
        File.make(path, "old\n")
        let sink = try makeSink()
        try sink.write("one")
        try sink.write("two")
        #expect(File.text(path) == "old\none\ntwo\n")
    }

    @Test func `a new file has mode 0640 less the umask`() async {
        // The mask belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            for (mask, mode) in [(0o000, 0o640), (0o022, 0o640), (0o077, 0o600)] {
                let path = folder.file("\(mask).log")
                umask(mode_t(mask))
                _ = try FileSink(path: path, formatter: PlainFormatter())
                #expect(File.permissions(path) == mode)
            }
        }
    }

    @Test func `a file that cannot be opened yet is opened with the first record that can`() throws
    {
        let path = folder.file("new/app.log")
        let sink = FileSink(notYetAt: path, formatter: PlainFormatter())
        let missing = SinkError(.unavailable, systemError: ENOENT)
        #expect(failure { () throws(SinkError) in try sink.write("one") } == missing)
        #expect(failure { () throws(SinkError) in try sink.reopen() } == missing)
        withRecord("one") { _ = sink.hold($0) }
        #expect(sink.commit() == (0, missing))
        sink.rotate()
        try sink.flush()
        unsafe mkdir(folder.file("new"), 0o700)
        try sink.write("one")
        withRecord("two") { _ = sink.hold($0) }
        #expect(sink.commit() == (1, nil))
        #expect(File.text(path) == "one\ntwo\n")
        #expect(File.permissions(path) & 0o137 == 0)
        unsafe unlink(path)
        try write("three", to: sink) { File.exists(path) }
        #expect(File.text(path).hasSuffix("three\n"))
    }

    @Test func `a symbolic link is refused, be it to a file or to nothing`() {
        File.make(folder.file("victim"), "untouched")
        unsafe symlink(folder.file("victim"), path)
        #expect(failure { () throws(SinkError) in _ = try makeSink() }?.systemError == ELOOP)
        unsafe unlink(path)
        unsafe symlink(folder.file("nothing"), path)
        #expect(failure { () throws(SinkError) in _ = try makeSink() }?.systemError == ELOOP)
        #expect(File.text(folder.file("victim")) == "untouched")
        #expect(!File.exists(folder.file("nothing")))
    }

    @Test func `a FIFO is refused, be it read or not`() {
        unsafe mkfifo(path, 0o600)
        #expect(failure { () throws(SinkError) in _ = try makeSink() }?.systemError == ENXIO)
        let reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        #expect(failure { () throws(SinkError) in _ = try makeSink() }?.systemError == EINVAL)
    }

    @Test func `a directory, a device and a file with a second name are refused`() {
        unsafe mkdir(path, 0o755)
        #expect(failure { () throws(SinkError) in _ = try makeSink() }?.systemError == EISDIR)
        let device = failure { () throws(SinkError) in
            _ = try FileSink(path: "/dev/null", formatter: PlainFormatter())
        }
        #expect(device?.systemError == EINVAL)
        File.make(folder.file("a"))
        unsafe link(folder.file("a"), folder.file("b"))
        let linked = failure { () throws(SinkError) in
            _ = try FileSink(path: folder.file("b"), formatter: PlainFormatter())
        }
        #expect(linked?.systemError == EMLINK)
    }

    @Test func `a relative path leads from where the process was when the sink was made`() async {
        // The working directory belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            for name in ["here", "there"] { unsafe mkdir(folder.file(name), 0o700) }
            #expect(unsafe chdir(folder.file("here")) == 0)
            let sink = try FileSink(
                path: "app.log",
                formatter: PlainFormatter(),
                rotation: FileRotation(size: 9, link: "current")
            )
            let late = FileSink(notYetAt: "./late.log", formatter: PlainFormatter())
            try sink.write("one")
            #expect(unsafe chdir(folder.file("there")) == 0)
            // From then on the sink looks at its path.
            LookClock.wait()
            for text in ["two", "three"] { try sink.write(text) }
            try late.write("late")
            let names = ["app.log", "app.log.1", "current", "late.log"]
            #expect(
                names.map { File.text(folder.file("here/\($0)")) }
                    == ["three\n", "one\ntwo\n", "three\n", "late\n"]
            )
            #expect(Command.run(["/bin/ls", "-A", folder.file("there")]).output == [])
            #expect(unsafe chdir("/") == 0)
        }
    }

    @Test func `a folder that is missing is no folder to make`() {
        let error = failure { () throws(SinkError) in
            _ = try FileSink(path: folder.file("none/app.log"), formatter: PlainFormatter())
        }
        #expect(error == SinkError(.unavailable, systemError: ENOENT))
    }

    @Test func `reopening after a rename begins the new file`() throws {
        let sink = try makeSink()
        try sink.write("one")
        unsafe rename(path, folder.file("app.log.1"))
        try sink.reopen()
        try sink.write("two")
        #expect(File.text(folder.file("app.log.1")) == "one\n")
        #expect(File.text(path) == "two\n")
    }

    @Test func `reopening that fails leaves the sink with the file it has`() throws {
        let sink = try makeSink()
        unsafe rename(path, folder.file("app.log.1"))
        unsafe symlink(folder.file("victim"), path)
        #expect(failure { () throws(SinkError) in try sink.reopen() }?.systemError == ELOOP)
        try sink.write("kept")
        #expect(File.text(folder.file("app.log.1")) == "kept\n")
    }

    @Test func `a file that was moved, and made by another, is noticed`() throws {
        let sink = try makeSink()
        unsafe rename(path, folder.file("app.log.1"))
        File.make(path)
        try write("line", to: sink) { File.text(path) == "line\n" }
        #expect(File.text(folder.file("app.log.1")).hasPrefix("line\n"))
    }

    @Test func `a file that was moved, and is made by nobody, is made again`() throws {
        let sink = try makeSink()
        unsafe rename(path, folder.file("app.log.1"))
        try write("line", to: sink) { File.text(path) == "line\n" }
        #expect(File.permissions(path) & 0o137 == 0)
    }

    @Test(arguments: [false, true])
    func `a file that was deleted takes nothing while none can be made`(isBatch: Bool) throws {
        let logs = folder.file("logs")
        let path = "\(logs)/app.log"
        unsafe mkdir(logs, 0o755)
        let sink = try FileSink(path: path, formatter: PlainFormatter())
        try sink.write("one")
        unsafe unlink(path)
        unsafe rmdir(logs)
        LookClock.wait()
        for _ in 0..<2 {
            if isBatch { sink.hold("two") }
            let error =
                isBatch
                ? sink.commit().error : failure { () throws(SinkError) in try sink.write("two") }
            #expect(error?.systemError == ENOENT)
        }
        unsafe mkdir(logs, 0o755)
        try sink.write("three")
        #expect(File.text(path) == "three\n")
    }

    @Test func `a file that was deleted is made again`() throws {
        let sink = try makeSink()
        unsafe unlink(path)
        try write("line", to: sink) { File.text(path) == "line\n" }
    }

    @Test func `a moved file is kept where its path cannot be opened, and that is said once`()
        throws
    {
        let sink = try makeSink()
        unsafe rename(path, folder.file("app.log.1"))
        unsafe symlink(folder.file("victim"), path)
        // The record that notices it waits for another attempt.
        let error = failure { () throws(SinkError) in
            while true { try sink.write("line") }
        }
        #expect(error?.systemError == ELOOP)
        #expect(
            sink.takeReport()
                == "\(path) cannot be opened, and records go to the file that was moved: "
                + "Too many levels of symbolic links"
        )
        for _ in 0..<3 {
            LookClock.wait()
            try sink.write("kept")
        }
        #expect(sink.takeReport() == nil)
        #expect(File.text(folder.file("app.log.1")).hasSuffix("line\nkept\nkept\nkept\n"))
        unsafe unlink(path)
        try write("new", to: sink) { File.text(path) == "new\n" }
        #expect(!File.text(folder.file("victim")).contains("kept"))
    }

    @Test func `a file that was truncated begins anew`() throws {
        let sink = try makeSink()
        try sink.write("one")
        unsafe truncate(path, 0)
        try sink.write("two")
        #expect(File.text(path) == "two\n")
    }

    @Test(arguments: [false, true])
    func `the piece of a record that a killed process has left ends in a line of its own`(
        isBatch: Bool
    ) throws {
        File.make(path, "whole\npie")
        let sink = try makeSink()
        for text in ["one", "two"] {
            if isBatch { withRecord(LogMessage(verbatim: text)) { _ = sink.hold($0) } }
            if !isBatch { try sink.write(text) }
        }
        #expect(sink.commit() == (isBatch ? 2 : 0, nil))
        #expect(File.text(path) == "whole\npie\none\ntwo\n")
    }

    @Test func `a piece in a file that was put in the place of ours ends in one as well`() throws {
        let sink = try makeSink()
        withRecord("one") { _ = sink.hold($0) }
        unsafe rename(path, folder.file("app.log.1"))
        File.make(path, "pie")
        try sink.reopen()
        #expect(sink.commit() == (1, nil))
        try sink.write("two")
        #expect(File.text(path) == "pie\none\ntwo\n")
    }

    @Test func `a piece whose line others have ended meanwhile is not ended again`() throws {
        File.make(path, "pie")
        let sink = try makeSink()
        let other = try makeSink()
        try other.write("one")
        try sink.write("two")
        #expect(File.text(path) == "pie\none\ntwo\n")
    }

    @Test func `a file that may not be read is left as it is`() async {
        // The user belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            File.make(path, "pie")
            unsafe chmod(path, 0o222)
            unsafe chmod(folder.path, 0o777)
            if geteuid() == 0 { seteuid(65_534) }
            let sink = try FileSink(path: path, formatter: PlainFormatter())
            try sink.write("one")
            if getuid() == 0 { seteuid(0) }
            unsafe chmod(path, 0o644)
            #expect(File.text(path) == "pieone\n")
        }
    }

    @Test func `a descriptor that the program took away is replaced, and not closed`() throws {
        let sink = try makeSink()
        let descriptor = Descriptor.opened(on: path)
        // What cannot be written to gives EBADF, and keeps others from getting the number.
        let taker = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(taker) }
        dup2(taker, descriptor)
        let error = failure { () throws(SinkError) in try sink.write("one") }
        #expect(error == SinkError(.unavailable, systemError: EBADF))
        #expect(fcntl(descriptor, F_GETFD) >= 0)
        close(descriptor)
        try sink.write("two")
        #expect(File.text(path) == "two\n")
    }

    @Test func `lines of two sinks on one file are whole`() async throws {
        let path = path
        let lines = 2_000
        await withTaskGroup(of: Void.self) { group in
            for letter in ["x", "y"] {
                group.addTask {
                    let line = String(repeating: letter, count: 200)
                    let sink = try? FileSink(path: path, formatter: PlainFormatter())
                    for _ in 0..<lines { try? sink?.write(line) }
                }
            }
        }
        let found = File.text(path).split(separator: "\n")
        #expect(found.count == 2 * lines)
        #expect(found.allSatisfy { $0.count == 200 && Set($0).count == 1 })
    }
}

/// A file system of 64 KiB.
struct SmallDisk {
    let folder = TemporaryFolder()

    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let disk = SmallDisk()
        guard disk.mount() else { return false }
        disk.unmount()
        return true
    }()

    func mount(_ options: String = "size=64k") -> Bool {
        let arguments = ["/bin/mount", "-t", "tmpfs", "-o", options, "winnow", folder.path]
        return Command.run(arguments).status == 0
    }

    func unmount() {
        Command.run(["/bin/umount", folder.path])
    }
}

@Suite(.timeLimit(.minutes(30)))
struct FileSinkOnFullDiskTests {
    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small file system"))
    func `a full disk leaves whole lines, and the next record that fits is written`() throws {
        let disk = SmallDisk()
        #expect(disk.mount())
        defer { disk.unmount() }
        let path = disk.folder.file("app.log")
        File.make(disk.folder.file("ballast"), String(repeating: "b", count: 8_192))
        let sink = try FileSink(path: path, formatter: PlainFormatter())
        let line = String(repeating: "a", count: 999)
        var written = 0
        let error = failure { () throws(SinkError) in
            while true {
                try sink.write(line)
                written += 1
            }
        }
        #expect(error == SinkError(.failed, systemError: ENOSPC))
        #expect(failure { () throws(SinkError) in try sink.write(line) }?.code == .failed)
        #expect(File.text(path) == String(repeating: line + "\n", count: written))
        unsafe unlink(disk.folder.file("ballast"))
        try sink.write("after")
        #expect(File.text(path) == String(repeating: line + "\n", count: written) + "after\n")
    }

    @Test func `a file at its greatest size fails without a signal, and holds whole lines`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let sink = try FileSink(path: path, formatter: PlainFormatter())
            try sink.write("0123456789")
            var limit = rlimit(rlim_cur: 25, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try sink.reopen()
            let error = failure { () throws(SinkError) in try sink.write("0123456789abcdef") }
            let repeated = failure { () throws(SinkError) in try sink.write("0123456789abcdef") }
            try sink.write("012345678")
            limit.rlim_cur = rlim_t.max
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(error == SinkError(.failed, systemError: EFBIG))
            #expect(repeated == SinkError(.failed, systemError: EFBIG))
            #expect(File.text(path) == "0123456789\n012345678\n")
        }
    }

    @Test(.enabled(if: AppendOnlyFile.isPossible, "chattr +a needs root and a file system with it"))
    func `a piece that cannot be taken back ends in a line of its own`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let sink = try FileSink(path: path, formatter: PlainFormatter())
            try sink.write("0123456789")
            AppendOnlyFile.set("+a", path)
            defer { AppendOnlyFile.set("-a", path) }
            var limit = rlimit(rlim_cur: 25, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try sink.reopen()
            let error = failure { () throws(SinkError) in try sink.write("abcdefghijklmnopqrs") }
            limit.rlim_cur = rlim_t.max
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(error?.code == .failed)
            try sink.write("next")
            try sink.write("last")
            #expect(File.text(path) == "0123456789\nabcdefghijklmn\nnext\nlast\n")
        }
    }
}

/// A file that can be appended to, but not cut.
private enum AppendOnlyFile {
    static let isPossible: Bool = {
        let folder = TemporaryFolder()
        File.make(folder.file("probe"))
        defer { set("-a", folder.file("probe")) }
        return set("+a", folder.file("probe"))
    }()

    @discardableResult
    static func set(_ attribute: String, _ path: String) -> Bool {
        Command.run(["/usr/bin/chattr", attribute, path]).status == 0
    }
}
