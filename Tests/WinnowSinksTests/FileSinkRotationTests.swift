// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Files that make way for new ones, in a folder of the test's own.
@Suite(.timeLimit(.minutes(30)))
struct FileSinkRotationTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("app.log") }

    private func makeSink(_ rotation: FileRotation) throws(SinkError) -> FileSink {
        try FileSink(path: path, formatter: PlainFormatter(), rotation: rotation)
    }

    private func text(_ suffix: String) -> String { File.text(path + suffix) }

    /// The names in the folder, sorted.
    private var names: [String] {
        let (_, output) = Command.run(["/bin/ls", "-A", folder.path])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits for what a thread of the sink's does, five minutes at most.
    private func wait(
        for what: String,
        _ location: Testing.SourceLocation = #_sourceLocation,
        until condition: () -> Bool
    ) {
        let deadline = ContinuousClock.now + .seconds(300)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                Issue.record(
                    "waited in vain for \(what); there is \(names)",
                    sourceLocation: location
                )
                return
            }
            usleep(10_000)
        }
    }

    @Test func `a file makes way before it would have more bytes than it may`() throws {
        let sink = try makeSink(.size(10))
        for text in ["1234", "1234", "1", "12", "123456789", "1234567890", "1"] {
            try sink.write(text)
        }
        // A record that is too large for any file has one of its own.
        #expect(
            ["", ".1", ".2", ".3", ".4"].map(text) == [
                "1\n", "1234567890\n", "123456789\n", "1\n12\n", "1234\n1234\n",
            ]
        )
    }

    @Test func `a file that was there counts with its bytes`() throws {
        File.make(path, "12345678\n")
        let sink = try makeSink(.size(10))
        try sink.write("1")
        #expect(text("") == "1\n")
        #expect(text(".1") == "12345678\n")
    }

    @Test func `a batch is cut at records, and no file is larger than it may be`() throws {
        let sink = try makeSink(.size(20))
        for number in 10..<30 { sink.hold("record \(number)") }
        #expect(sink.commit() == (20, nil))
        let texts = ([""] + (1...9).map { ".\($0)" }).map(text)
        #expect(texts == (5..<15).reversed().map { "record \($0 * 2)\nrecord \($0 * 2 + 1)\n" })
    }

    @Test func `a day ends with the first record behind midnight, in a batch as well`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("TZ", "UTC", 1)
            tzset()
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let sink = try FileSink(
                path: path,
                formatter: PlainFormatter(),
                rotation: .daily()
            )
            // 1 January 2100.
            let midnight: UInt64 = 4_102_444_800_000_000_000
            try sink.write("before", at: midnight - 86_400_000_000_000)
            try sink.write("late", at: midnight - 1)
            try sink.write("early", at: midnight)
            try sink.write("slow", at: midnight - 1)
            sink.hold("noon", at: midnight + 43_200_000_000_000)
            sink.hold("next", at: midnight + 86_400_000_000_000)
            sink.hold("over", at: midnight + 10 * 86_400_000_000_000)
            let outcome = sink.commit()
            #expect(outcome == (3, nil))
            #expect(File.text(path) == "over\n")
            #expect(File.text(path + ".1") == "next\n")
            #expect(File.text(path + ".2") == "early\nslow\nnoon\n")
            #expect(File.text(path + ".3") == "before\nlate\n")
        }
    }

    @Test func `a file of yesterday makes way for the first record of today`() throws {
        File.make(path, "yesterday\n")
        Command.run(["/usr/bin/touch", "-d", "yesterday", path])
        let sink = try makeSink(.daily())
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        try sink.write("today", at: UInt64(now.tv_sec) * 1_000_000_000)
        #expect(text("") == "today\n")
        #expect(text(".1") == "yesterday\n")
    }

    @Test func `each start has a file of its own, where that holds something`() throws {
        for text in ["one", "two", "three"] { try makeSink(.atStart()).write(text) }
        _ = try makeSink(.atStart())
        _ = try makeSink(.atStart())
        #expect(["", ".1", ".2", ".3"].map(text) == ["", "three\n", "two\n", "one\n"])
        #expect(!File.exists(path + ".4"))
    }

    @Test func `a start that ends at once keeps no more old files than it is told`() throws {
        for number in 0..<6 {
            try makeSink(.atStart(keep: 2)).write("\(number)")
            #expect(!File.exists(path + ".3"))
        }
        #expect(["", ".1", ".2"].map(text) == ["5\n", "4\n", "3\n"])
    }

    @Test(arguments: [FileRotation.atStart(), .size(4)])
    func `a file that ends within a record makes way as others do, with its last line ended`(
        rotation: FileRotation
    ) throws {
        File.make(path, "pie")
        try makeSink(rotation).write("new")
        #expect(["", ".1"].map(text) == ["new\n", "pie\n"])
    }

    @Test(arguments: [false, true])
    func `a file that is opened later has its rotation from then on`(isBatch: Bool) throws {
        let sink = FileSink(
            notYetAt: folder.file("new/app.log"),
            formatter: PlainFormatter(),
            rotation: FileRotation(size: 9, atStart: true, link: "current")
        )
        #expect(throws: SinkError(.unavailable, systemError: ENOENT)) { try sink.write("early") }
        sink.rotate()
        #expect(sink.takeReport() == nil)
        unsafe mkdir(folder.file("new"), 0o700)
        File.make(folder.file("new/app.log"), "old\n")
        for text in ["1", "2", "345678"] {
            if isBatch { sink.hold(text) } else { try sink.write(text) }
        }
        #expect(sink.commit() == (isBatch ? 3 : 0, nil))
        let texts = ["app.log", "app.log.1", "app.log.2", "current"]
            .map { File.text(folder.file("new/\($0)")) }
        #expect(texts == ["345678\n", "1\n2\n", "old\n", "345678\n"])
    }

    @Test func `only so many old files are kept, and no other file is touched`() throws {
        for name in ["app.log.bak", "app.log.01", "other.log.1", "app.log.2.zip"] {
            File.make(folder.file(name), "other")
        }
        unsafe mkdir(folder.file("app.log.9"), 0o755)
        let sink = try makeSink(.size(4, keep: 2))
        for number in 0..<8 { try sink.write("r \(number)") }
        let expected = [
            "app.log", "app.log.01", "app.log.1", "app.log.2", "app.log.2.zip", "app.log.9",
            "app.log.bak", "other.log.1",
        ]
        wait(for: "the oldest files to go") { names == expected }
        #expect(names == expected)
        #expect(["", ".1", ".2"].map(text) == ["r 7\n", "r 6\n", "r 5\n"])
    }

    @Test func `none is kept where none is wanted`() throws {
        let sink = try makeSink(.size(4, keep: 0))
        for number in 0..<5 { try sink.write("r \(number)") }
        wait(for: "all old files to go") { names == ["app.log"] }
        #expect(names == ["app.log"])
    }

    @Test func `old files go by their age and by their bytes`() throws {
        for (number, days) in [(1, 1), (2, 6), (3, 9)] {
            File.make(path + ".\(number)", "old\n")
            Command.run(["/usr/bin/touch", "-d", "\(days) days ago", path + ".\(number)"])
        }
        _ = try makeSink(FileRotation(kept: .init(age: 7 * 86_400)))
        wait(for: "the file of nine days to go") { names == ["app.log", "app.log.1", "app.log.2"] }
        #expect(names == ["app.log", "app.log.1", "app.log.2"])
        _ = try makeSink(FileRotation(kept: .init(byteCount: 7)))
        wait(for: "the file beyond the bytes to go") { names == ["app.log", "app.log.1"] }
        #expect(names == ["app.log", "app.log.1"])
    }

    @Test(arguments: [
        200_000 * 86_400, 213_504 * 86_400, 999_999 * 86_400, Int.max / 1_000_000_000, .max,
    ])
    func `an age of centuries removes nothing`(age: Int) throws {
        for number in 1...3 { File.make(path + ".\(number)", "old\n") }
        Command.run(["/usr/bin/touch", "-d", "1960-01-01", path + ".1"])
        Command.run(["/usr/bin/touch", "-d", "2400-01-01", path + ".2"])
        _ = try makeSink(FileRotation(kept: .init(count: 2, age: age)))
        wait(for: "the file that is too many to go") { names.count == 3 }
        #expect(names == ["app.log", "app.log.1", "app.log.2"])
    }

    @Test func `a name with a time behind the last there is belongs to somebody else`() throws {
        let names = ["app.log.2600-01-01T000000+0000", "app.log.9999-12-31T235959+0000.gz"]
        for name in names { File.make(folder.file(name), "other") }
        let sink = try makeSink(FileRotation(size: 4, kept: .init(count: 0), naming: .date))
        for number in 0..<3 { try sink.write("r \(number)") }
        wait(for: "all old files to go") { self.names == ["app.log"] + names }
        #expect(self.names == ["app.log"] + names)
    }

    @Test func `names of other bytes belong to somebody else, however alike they look`() throws {
        let others = ["cafe\u{301}.log.1", "cafe\u{301}.log.7", ".cafe\u{301}.log.gz-1-1"]
        for name in others { File.make(folder.file(name), "other") }
        let sink = try FileSink(
            path: folder.file("caf\u{E9}.log"),
            formatter: PlainFormatter(),
            rotation: .size(4, keep: 1).compressed()
        )
        for number in 0..<3 { try sink.write("r \(number)") }
        wait(for: "the old file to be compressed") {
            File.exists(folder.file("caf\u{E9}.log.1.gz")) && names.count == 2 + others.count
        }
        #expect(others.map { File.text(folder.file($0)) } == ["other", "other", "other"])
    }

    @Test func `an old file is known also where its name ends within a character`() throws {
        // U+0600 is one character with what comes after it, and so is a point with an accent.
        for (name, other) in [("log\u{600}", "log\u{600}\u{301}.1"), ("log", "log.\u{301}1")] {
            let path = folder.file(name)
            File.make(folder.file(other), "other")
            let sink = try FileSink(
                path: path,
                formatter: PlainFormatter(),
                rotation: .size(4, keep: 1)
            )
            for number in 0..<4 { try sink.write("r \(number)") }
            wait(for: "the oldest files to go") { !File.exists("\(path).2") }
            #expect(["", ".1"].map { File.text(path + $0) } == ["r 3\n", "r 2\n"])
            #expect(File.text(folder.file(other)) == "other")
        }
    }

    @Test func `what a clock has named that was ahead goes before what it has named since`() throws
    {
        for suffix in ["", "-2"] {
            let old = "\(path).2400-01-01T000000+0000\(suffix)"
            File.make(old, "early")
            Command.run(["/usr/bin/touch", "-d", "2400-01-02", old])
        }
        let kept = FileRotation.Kept(count: 2)
        let sink = try makeSink(FileRotation(size: 4, kept: kept, naming: .date))
        for number in 0..<3 { try sink.write("r \(number)") }
        wait(for: "the oldest files to go") { names.count == 3 }
        #expect(names.dropFirst().map { File.text(folder.file($0)) } == ["r 0\n", "r 1\n"])
    }

    /// The file system of /tmp may have no such times.
    @Test(arguments: ["1960-01-01", "2554-07-21 23:30", "2600-01-01", "9999-01-01"])
    func `a file with any time may be rotated`(time: String) throws {
        let path = "/dev/shm/winnow-\(getpid())-\(UInt64.random(in: 0 ... .max)).log"
        defer { Command.run(["/bin/sh", "-c", "rm -f '\(path)'*"]) }
        File.make(path, "old\n")
        Command.run(["/usr/bin/touch", "-d", time, path])
        let sink = try FileSink(
            path: path,
            formatter: PlainFormatter(),
            rotation: FileRotation(period: .day, kept: .init(age: 86_400_000), naming: .date)
        )
        try sink.write("new")
        sink.rotate()
        #expect(File.text(path) == "")
    }

    @Test(arguments: [FileRotation.hourly(), .daily()])
    func `periods end by a clock that was set back, too`(rotation: FileRotation) throws {
        let hours: UInt64 = 3_600_000_000_000
        let now = UInt64(time(nil)) * 1_000_000_000
        let sink = try makeSink(rotation)
        // The clock is years ahead with the first records, as before a time server has answered.
        try sink.write("early", at: now + 900_000 * hours)
        try sink.write("slow", at: now + 900_000 * hours - 1_000_000_000)
        try sink.write("back", at: now)
        #expect(text("") == "early\nslow\nback\n")
        try sink.write("next", at: now + 26 * hours)
        #expect(text("") == "next\n")
        sink.hold("waited", at: now + 1 * hours)
        sink.hold("later", at: now + 50 * hours)
        #expect(sink.commit() == (2, nil))
        #expect(text("") == "later\n")
    }

    @Test func `a file with a time that is still to come ends with today as well`() throws {
        File.make(path, "future\n")
        Command.run(["/usr/bin/touch", "-d", "2400-01-01", path])
        let now = UInt64(time(nil)) * 1_000_000_000
        let sink = try makeSink(.daily())
        try sink.write("today", at: now)
        #expect(text("") == "future\ntoday\n")
        try sink.write("tomorrow", at: now + 26 * 3_600_000_000_000)
        #expect(text("") == "tomorrow\n")
        #expect(text(".1") == "future\ntoday\n")
    }

    @Test func `a record that has waited since yesterday begins no file`() throws {
        let now = UInt64(time(nil)) * 1_000_000_000
        let sink = try makeSink(.daily())
        try sink.write("one", at: now)
        try sink.write("waited", at: now - 2 * 86_400_000_000_000)
        try sink.write("two", at: now)
        #expect(text("") == "one\nwaited\ntwo\n")
    }

    @Test func `dates name the time at which a file was begun`() throws {
        let sink = try makeSink(FileRotation(size: 4, naming: .date))
        for number in 0..<4 { try sink.write("r \(number)") }
        #expect(names.count == 4)
        let old = names.dropFirst()
        #expect(old.allSatisfy { RotatedName(suffix: $0.dropFirst("app.log".count)) != nil })
        // Of one second, unless the test was slow: then the order is that of the names.
        let sorted = old.sorted {
            guard let one = RotatedName(suffix: $0.dropFirst("app.log".count)),
                let two = RotatedName(suffix: $1.dropFirst("app.log".count))
            else { return false }
            return two.isLater(than: one)
        }
        #expect(sorted.map { File.text(folder.file($0)) } == ["r 0\n", "r 1\n", "r 2\n"])
    }

    @Test func `gzip reads what was compressed, which keeps owner, mode and time`() throws {
        let sink = try FileSink(
            path: path,
            mode: 0o600,
            formatter: PlainFormatter(),
            rotation: .size(1_000, keep: 9).compressed()
        )
        var expected = ""
        for number in 0..<300 {
            try sink.write("record number \(number)")
            expected += "record number \(number)\n"
        }
        wait(for: "all old files to be compressed") {
            !names.contains { !$0.hasSuffix(".gz") && $0 != "app.log" }
        }
        let old = (1...9).reversed().map { path + ".\($0).gz" }.filter(File.exists)
        #expect(old.count >= 5)
        #expect(names.count == old.count + 1)
        let found = old.map { Command.run(["/bin/gzip", "-dc", $0]) }
        #expect(found.allSatisfy { $0.status == 0 })
        let text = found.map { String(decoding: $0.output, as: UTF8.self) }.joined()
        #expect(text + File.text(path) == expected)
        #expect(old.allSatisfy { File.permissions($0) == 0o600 })
    }

    @Test func `old files are compressed on a thread of the sink's own`() throws {
        // Zeros that take no room on the disk, but gzip some tenths of a second of a processor.
        File.make(path + ".1", "")
        #expect(unsafe truncate(path + ".1", 1 << 26) == 0)
        let sink = try makeSink(.size(1_000, keep: 9).compressed())
        let threads = ["/bin/sh", "-c", "cat /proc/\(getpid())/task/*/comm 2>/dev/null"]
        var compressing = ""
        wait(for: "the old file to be compressed") {
            // What the thread writes to has a name of its own until it is done.
            if names.contains(where: { $0.hasPrefix(".app.log.gz-") }) {
                compressing += String(decoding: Command.run(threads).output, as: UTF8.self)
            }
            // The compressed file takes its name a moment before the other one goes.
            return names == ["app.log", "app.log.1.gz"]
        }
        #expect(names == ["app.log", "app.log.1.gz"])
        #expect(compressing.contains("winnow-files"))
        withExtendedLifetime(sink) {}
    }

    @Test func `what a process left that ended while it compressed is taken up`() throws {
        File.make(path + ".1", "one\n")
        File.make(path + ".2", "two\n")
        // It had put the file in place, but not yet removed the other one.
        Command.run(["/bin/sh", "-c", "gzip -c '\(path).2' > '\(path).2.gz'"])
        Command.run(["/usr/bin/touch", "-r", path + ".2", path + ".2.gz"])
        File.make(folder.file(".app.log.gz-1-1"), "half")
        _ = try makeSink(FileRotation(isCompressed: true))
        wait(for: "both old files to be compressed") {
            names == ["app.log", "app.log.1.gz", "app.log.2.gz"]
        }
        #expect(names == ["app.log", "app.log.1.gz", "app.log.2.gz"])
        #expect(Command.run(["/bin/gzip", "-dc", path + ".1.gz"]).output == Array("one\n".utf8))
    }

    @Test func `a link leads to the file`() throws {
        let sink = try makeSink(FileRotation(size: 4, link: "current"))
        for number in 0..<3 { try sink.write("r \(number)") }
        #expect(File.text(folder.file("current")) == "r 2\n")
        #expect(sink.takeReport() == nil)
        File.make(folder.file("taken"), "mine")
        let other = try makeSink(FileRotation(link: "taken"))
        #expect(other.takeReport() == "the link to \(path) cannot be made: File exists")
        #expect(File.text(folder.file("taken")) == "mine")
    }

    @Test func `where a name cannot be had the file grows, and that is said once`() throws {
        // A folder in the place of an old file, which no rename replaces.
        unsafe mkdir(path + ".1", 0o755)
        let sink = try makeSink(.size(4))
        for number in 0..<4 { try sink.write("r \(number)") }
        for number in 4..<8 { sink.hold("r \(number)") }
        #expect(sink.commit() == (4, nil))
        #expect(text("") == (0..<8).map { "r \($0)\n" }.joined())
        #expect(sink.takeReport() == "\(path) cannot be rotated, and grows on: File exists")
        #expect(sink.takeReport() == nil)
        unsafe rmdir(path + ".1")
        wait(for: "the sink to try the name again") {
            try? sink.write("x")
            return File.exists(path + ".1")
        }
        #expect(text(".1").hasPrefix("r 0\n"))
        #expect(sink.takeReport() == nil)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small file system"))
    func `a file in whose place none can be made keeps its name, and is no old one`() throws {
        let disk = SmallDisk()
        // The folder itself has one of the two.
        #expect(disk.mount("nr_inodes=2"))
        defer { disk.unmount() }
        let path = disk.folder.file("app.log")
        let sink = try FileSink(
            path: path,
            formatter: PlainFormatter(),
            rotation: .size(4, keep: 0)
        )
        for number in 0..<4 { try sink.write("r \(number)") }
        #expect(File.text(path) == (0..<4).map { "r \($0)\n" }.joined())
        let reason = "\(path) cannot be rotated, and grows on: No space left on device"
        #expect(sink.takeReport() == reason)
        #expect(Descriptor.count(of: path) == 1)
    }

    @Test func `a call rotates, but no empty file`() throws {
        let sink = try makeSink(FileRotation())
        sink.rotate()
        #expect(names == ["app.log"])
        try sink.write("one")
        sink.rotate()
        sink.rotate()
        #expect(names == ["app.log", "app.log.1"])
        try FileSink(path: path, formatter: PlainFormatter()).rotate()
        #expect(names == ["app.log", "app.log.1"])
    }

    @Test func `the new file has the mode of the old one`() throws {
        let sink = try makeSink(.size(4))
        try sink.write("one")
        unsafe chmod(path, 0o664)
        try sink.write("two")
        #expect(text(".1") == "one\n")
        #expect(File.permissions(path) == 0o664)
    }

    @Test func `two sinks of one file rotate it together`() throws {
        let (one, two) = (try makeSink(.size(30)), try makeSink(.size(30)))
        var written: Set<String> = []
        for number in 0..<60 {
            try (number % 2 == 0 ? one : two).write("record \(number)")
            written.insert("record \(number)")
            if number % 10 == 0 { LookClock.wait() }
        }
        let lines = names.flatMap { File.text(folder.file($0)).split(separator: "\n") }
        #expect(lines.count == 60)
        #expect(Set(lines.map(String.init)) == written)
    }
}
