// SPDX-License-Identifier: Apache-2.0

import Testing

/// Many threads and modules at once.
@Suite(.serialized)
struct RedirectStressTests {
    /// Expects each line of all threads once, whole, in its thread's order, and from its module.
    private func expectAll(_ run: PrintRun, threads: Int, lines: Int) {
        var next = Array(repeating: 0, count: threads)
        var wrong: [PrintedRecord] = []
        for record in run.records {
            let words = record.message.split(separator: " ")
            guard words.count == 3, let thread = Int(words[1]), let number = Int(words[2]),
                next.indices.contains(thread), next[thread] == number, words[0] == record.category
            else {
                wrong.append(record)
                continue
            }
            next[thread] += 1
        }
        #expect(wrong.isEmpty, "\(wrong.count) wrong: \(wrong.prefix(5))")
        #expect(next == Array(repeating: lines, count: threads))
    }

    @Test(arguments: ["start", "start=stdout,stderr"])
    func `20 000 lines of 4 threads and 3 modules are whole, in order, and of their modules`(
        start: String
    ) throws {
        let run = try PrintRun([start, "threads=4,5000", "account"])
        #expect(run.count("lost") == 0)
        expectAll(run, threads: 4, lines: 5_000)
        #expect(run.output.isEmpty)
        run.expectSound()
    }

    @Test(arguments: ["immediate", "deferred"])
    func `beside a sink that prints`(delivery: String) throws {
        let run = try PrintRun(
            ["sink=printing", "start", "threads=4,500", "account"],
            delivery: delivery,
            environment: ["WINNOW_OVERFLOW": "block=10s"]
        )
        expectAll(run, threads: 4, lines: 500)
        // In bytes, as raw writes come between the blocks of a stream.
        let lines = "sink prints\nsink puts\nsink writes\n"
        #expect(run.outcome.output.count == run.records.count * lines.utf8.count)
        #expect(run.printed("sink ", to: \.stderr) == 3 * run.records.count)
        run.expectSound()
    }

    @Test func `2 000 starts and stops while two threads print`() throws {
        let run = try PrintRun(["restarts=2000", "account"])
        #expect(!run.account.contains { $0.hasPrefix("error") })
        for thread in 0..<2 {
            let account = run.account.first { $0.hasPrefix("printed \(thread) ") }
            let count = account.flatMap { Int($0.dropFirst("printed 0 ".count)) } ?? -1
            let lines = (run.messages + run.output).filter { $0.hasPrefix("\(thread) ") }
            #expect(lines.count == count)
            #expect(Set(lines) == Set((0..<max(count, 0)).map { "\(thread) \($0)" }))
        }
        #expect(!run.records.isEmpty)
        #expect(!run.output.isEmpty)
    }

    // Of a pipe, stdio writes a block at a time, which ends anywhere in a line. The other programs
    // write into stdio's buffer without its lock, and have what passes printed past it.
    @Test func `a line that passes by the worker comes between two lines of the program`() throws {
        let run = try Program.run(["passing=20000", "no-status"])
        let lines = run.stdout.split(separator: "\n").map(String.init)
        for name in ["own", "read"] {
            #expect(
                lines.filter { $0.hasPrefix("\(name) ") } == (0..<20_000).map { "\(name) \($0)" }
            )
        }
        #expect(lines.count == 40_000)
    }
}
