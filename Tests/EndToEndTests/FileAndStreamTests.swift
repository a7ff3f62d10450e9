// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// From a log call to a file and to a pipe.
struct FileAndStreamTests {
    /// The sequence numbers of JSON lines; nil where a line is no whole object.
    private func sequences(_ lines: [String]) -> Set<Int>? {
        var sequences: Set<Int> = []
        for line in lines {
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let number = object?["sequence"] as? Int else { return nil }
            sequences.insert(number)
        }
        return sequences
    }

    /// Expects so many of 80 000 records, each once.
    private func expectEachOnce(_ lines: [String], count: Int) throws {
        // Those of Winnow's own, the report of losses among them, have no number.
        let records = lines.filter { !$0.contains("\"sequence\":0,") }
        #expect(records.count == count)
        let numbers = try #require(sequences(records))
        let isEachOnce = numbers.count == count && numbers.isSubset(of: Set(1...80_000))
        #expect(isEachOnce)
    }

    @Test
    func `8 threads times 10 000 records into a file are whole and there once, or reported lost`()
        throws
    {
        let folder = try TemporaryFolder()
        let file = "file:\(folder.path)/app.log"
        let outcome = try Program.run(
            ["threads=8,10000", "flush=60"],
            environment: ["WINNOW_SINKS": file, "WINNOW_FORMAT": "json"]
        )
        let delivered = try #require(outcome.account(file, "delivered"))
        // A thread that is inside the sink may get no processor for longer than others wait for it.
        #expect(delivered > 40_000)
        #expect(outcome.account(file, "lost") == 80_000 - delivered)
        try expectEachOnce(folder.lines(of: "app.log"), count: delivered)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/app.log")
        #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o137 == 0)
    }

    @Test
    func `8 threads times 10 000 records into a pipe are whole and there once, or reported lost`()
        throws
    {
        let outcome = try Program.run(
            ["threads=8,10000", "flush=60"],
            environment: ["WINNOW_FORMAT": "json"]
        )
        let delivered = try #require(outcome.account("stderr", "delivered"))
        // A reader that gets no processor for longer than callers wait takes fewer of them.
        #expect(outcome.account("stderr", "lost") == 80_000 - delivered)
        try expectEachOnce(outcome.log, count: delivered)
    }

    @Test
    func `two processes may share a file`() throws {
        let folder = try TemporaryFolder()
        let sinks = ["WINNOW_SINKS": "file:\(folder.path)/app.log", "WINNOW_FORMAT": "json"]
        let arguments = [
            "-c", "\"$0\" threads=2,5000 flush=60 & \"$0\" threads=2,5000 flush=60; wait",
            Program.path,
        ]
        _ = try Program.run(arguments, environment: sinks, executable: "/bin/sh")
        let lines = try folder.lines(of: "app.log")
        #expect(lines.count == 20_000)
        #expect(sequences(lines)?.count == 10_000)
    }

    @Test(arguments: ["text", "json", "logfmt"])
    func `a message makes one line and forges nothing`(format: String) throws {
        let messages = [
            "\n<0>forged", "x\nPRIORITY=0", "\u{1B}[2J", "\u{202E}x", "a\u{2028}b", "",
        ]
        let outcome = try Program.run(
            messages.map { "say=\($0)" },
            environment: ["WINNOW_FORMAT": format]
        )
        #expect(outcome.stderr.split(separator: "\n").count == messages.count)
        let harmful: (Unicode.Scalar) -> Bool = {
            ($0.value < 0x20 && $0 != "\n") || $0 == "\u{202E}" || $0 == "\u{2028}"
        }
        #expect(!outcome.stderr.unicodeScalars.contains(where: harmful))
    }

    /// The program has logged before its folder is made, and logs again behind that.
    @Test(arguments: ["", "&rotate=1M+start&link=current"], ["immediate", "deferred"])
    func `a file whose folder comes later gets all records`(
        options: String,
        delivery: String
    ) throws {
        let folder = try TemporaryFolder()
        let file = "file:\(folder.path)/new/app.log"
        let outcome = try runWithFaults(
            ["delivery=\(delivery)", "threads=4,500", "wait", "say=end", "flush=60"],
            to: "\(file)?format=json\(options),stderr@error,file:\(folder.path)/seen"
        ) {
            waitUntil("the program has logged 2000 records") {
                let lines = (try? folder.lines(of: "seen")) ?? []
                return lines.count { $0.contains("thread") } == 2_000
            }
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/new",
                withIntermediateDirectories: false
            )
        }
        #expect(outcome.account(file, "delivered") == 2_001)
        #expect(outcome.account(file, "lost") == 0)
        #expect(!outcome.stdout.contains("failure"))
        let lines = try folder.lines(of: "new/app.log").filter { !$0.contains("\"sequence\":0,") }
        #expect(sequences(lines) == Set(1...2_001))
        #expect(outcome.log.filter { $0.contains("cannot be opened") }.count == 1)
        #expect(outcome.log.allSatisfy { $0.contains("[winnow]") })
    }

    @Test func `a file whose folder never comes is in the status, and its records are lost`() throws
    {
        let file = "file:/nowhere/at/all.log"
        let outcome = try Program.run(
            ["levels", "burst=20000", "flush=0"],
            environment: ["WINNOW_SINKS": "\(file),stderr@error"]
        )
        let line = outcome.stdout.split(separator: "\n").first { $0.contains(file) }
        #expect(line?.hasSuffix(" failure unavailable: No such file or directory") == true)
        let account = ["queued", "lost"].compactMap { outcome.account(file, $0) }
        #expect(outcome.account(file, "accepted") == 20_006)
        #expect(account.reduce(0, +) == 20_006)
        // On a slow machine, what is told of a sink that stands still may come behind it.
        let end = outcome.log.first { $0.contains("\(file): lost 20006 records") }
        #expect(end?.hasSuffix("; unavailable: No such file or directory") == true)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a reader that does not read keeps neither the program nor its end`() throws {
        let folder = try TemporaryFolder()
        // The program must end before its reader does.
        let script = """
            { "$0" threads=2,20000 2>&1 >"$1"; echo ended >>"$1"; } | sleep 8
            cat "$1"
            """
        let outcome = try Program.run(
            ["-c", script, Program.path, "\(folder.path)/account"],
            executable: "/bin/sh"
        )
        #expect(outcome.stdout.hasSuffix("ended\n"))
        let settled = ["delivered", "queued", "lost"].reduce(0) {
            $0 + (outcome.account("stderr", $1) ?? 0)
        }
        #expect(outcome.account("stderr", "accepted") == 40_000)
        #expect(settled == 40_000)
    }

    @Test
    func `a reader that goes away ends neither the program nor its account`() throws {
        let folder = try TemporaryFolder()
        let script = """
            "$0" threads=1,20000 2>&1 >"$1" | head -n 1
            cat "$1"
            """
        let outcome = try Program.run(
            ["-c", script, Program.path, "\(folder.path)/account"],
            executable: "/bin/sh"
        )
        let accepted = outcome.account("stderr", "accepted") ?? 0
        let settled = ["delivered", "queued", "lost"].reduce(0) {
            $0 + (outcome.account("stderr", $1) ?? 0)
        }
        #expect(accepted == 20_000)
        #expect(settled == accepted)
    }
}
