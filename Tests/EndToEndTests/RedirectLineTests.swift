// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// How bytes become lines.
struct RedirectLineTests {
    private static let starts = ["start", "start=stdout,stderr"]

    private func hex(_ text: String) -> String {
        text.utf8.map { String(format: "%02x", $0) }.joined()
    }

    @Test(arguments: starts)
    func `a line that is not ended comes with a mark`(start: String) throws {
        let run = try PrintRun(
            [start, "partial=first ", "partial=half", "drain", "print= second", "account"]
        )
        // Where the program gets no processor for a tenth of a second, its beginning is a line before.
        #expect(run.messages.dropLast().joined() == "first half")
        #expect(run.records.dropLast().allSatisfy { ["closed", "timeout"].contains($0.lineBreak) })
        #expect(run.messages.last == " second")
        #expect(run.records.last?.lineBreak == nil)
    }

    @Test(arguments: starts)
    func `the beginning of a line is not kept for long`(start: String) throws {
        let run = try PrintRun([start, "partial=Password: ", "taken=1", "print=done", "account"])
        #expect(run.messages == ["Password: ", "done"])
        #expect(run.records.map(\.lineBreak) == ["timeout", nil])
        run.expectSound()
    }

    @Test(arguments: starts)
    func `a thread that ends in the middle of a line`(start: String) throws {
        let run = try PrintRun([start, "thread-partial=half", "account"])
        #expect(run.messages == ["half"])
        // Unless the thread got no processor for a tenth of a second before its end.
        #expect(["closed", "timeout"].contains(run.records.last?.lineBreak))
    }

    @Test(arguments: starts)
    func `a mebibyte without a line break comes in pieces`(start: String) throws {
        let run = try PrintRun([start, "long=1048576", "account"])
        #expect(run.records.count == 16)
        #expect(run.messages.allSatisfy { $0.utf8.count == 65_536 })
        #expect(run.records.dropLast().allSatisfy { $0.lineBreak == "length" })
        #expect(run.records.last?.lineBreak == nil)
        run.expectSound()
    }

    @Test(arguments: ["immediate", "deferred"])
    func `a line has the time at which it was printed, however late it is logged`(
        delivery: String
    ) throws {
        let run = try PrintRun(
            [
                "start=stalled", "fill=0", "log=before", "print=line", "partial=half", "log=behind",
                "pause", "release", "account",
            ],
            delivery: delivery
        )
        let times = Dictionary(run.records.map { ($0.message, $0.time) }) { first, _ in first }
        let (before, behind) = (try #require(times["before"]), try #require(times["behind"]))
        // The clocks of the deferred way are put together by a worker that may be interrupted; the last
        // byte of what no line break ended is known to some milliseconds.
        let slack = 0.02
        for line in ["line", "half"] {
            let time = try #require(times[line])
            #expect(time >= before - slack && time <= behind + slack, "\(line)")
        }
    }

    @Test(arguments: starts)
    func `what a rule says of the beginning of a long line holds for all of it`(
        start: String
    ) throws {
        let words = start == "start" ? "start=mixed" : "\(start),mixed"
        let filler = String(repeating: "x", count: 100_000)
        let run = try PrintRun([
            words, "print=DROP\(filler)", "print=DROP", "print=PASS\(filler)", "print=after",
            "print=\(filler)DROP", "account",
        ])
        #expect(run.output == ["PASS\(filler)"])
        #expect(run.messages.first == "after")
        #expect(run.messages.dropFirst().joined() == "\(filler)DROP")
        run.expectSound()
    }

    @Test func `what is decided by the origin alone is counted by calls`() throws {
        let passed = try PrintRun(["start=pass", "flushed=a", "account"])
        #expect(passed.account.contains("calls of PrintProgram: 1, 0"), "\(passed.account)")
        #expect(passed.account.contains("symbols true"))
        let dropped = try PrintRun(["start=drop", "flushed=a", "account"])
        #expect(dropped.account.contains("calls of PrintProgram: 0, 1"), "\(dropped.account)")
        #expect(dropped.count("taken") == 0)
    }

    @Test func `bytes that pass are what they were`() throws {
        let bytes = "00ff fe41 0d0a c328 0a1b 5b33 316d 0061 0d62 0d0a".filter { $0 != " " }
        let plain = try PrintRun(["raw=\(bytes)"])
        for start in ["start=text,pass", "start=stdout,text,pass"] {
            let run = try PrintRun([start, "raw=\(bytes)", "account"])
            #expect(run.outcome.output == plain.outcome.output)
            #expect(plain.outcome.output.count == 20)
        }
    }

    @Test func `bytes that are no UTF-8, and NUL, are told in the record`() throws {
        let run = try PrintRun(["start", "raw=610062ff63c3280a", "account"])
        #expect(
            run.messages == ["a\0b\u{FFFD}c\u{FFFD}("] || run.messages == ["a\\x00b\\xFFc\\xC3("]
        )
        run.expectSound()
    }

    @Test(arguments: starts)
    func `carriage returns are no part of lines`(start: String) throws {
        let run = try PrintRun(
            [start, "raw=\(hex("one\r\n\r\n10%\r50%\r100%\n 5%\r 9%\r\n"))", "account"]
        )
        #expect(run.messages == ["one", "100%", " 9%"])
    }

    @Test func `a prompt that begins soon after a line is seen without an end`() throws {
        let times = Array(stride(from: 50, through: 1_500, by: 50))
        let tasks = times.enumerated().flatMap { index, microseconds in
            ["print=line", "rest=\(microseconds)", "partial=prompt", "taken=\(2 * index + 2)"]
        }
        let run = try PrintRun(["start"] + tasks)
        #expect(run.outcome.status == 0)
        #expect(run.messages == times.flatMap { _ in ["line", "prompt"] })
    }
}
