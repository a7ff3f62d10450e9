// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowInspection

/// How the findings are told.
struct VerificationReportTests {
    private func record(
        _ number: UInt64,
        _ level: Level,
        thread: Int64 = 100,
        content: Int = 0
    ) -> NumberedRecord {
        NumberedRecord(
            run: .init(identity: 0xAB_CDEF, processID: 812),
            thread: thread,
            level: level,
            time: 1_795_253_415_000_000 + number,
            sequence: number,
            levelSequence: number,
            fingerprint: content
        )
    }

    private func ledger(_ numbers: [UInt64], lost: UInt64 = 0) -> Ledger {
        var ledger = Ledger()
        for number in numbers { ledger.add(.record(record(number, .notice))) }
        var report = record(0, .warning)
        report.lost = lost > 0 ? [.notice: .init(lost)] : [:]
        ledger.add(.record(report))
        return ledger
    }

    @Test
    func `the table and the verdict are these where the reports explain all`() {
        var ledger = ledger([1, 2, 4], lost: 2)
        ledger.add(.record(record(17, .error)))
        let expected = """
            run 00abcdef, process 812, sequence 1–17, \
            2026-11-21T09:30:15.000000Z to 2026-11-21T09:30:15.000017Z
              level   records  numbers  reported lost  missing without a report
              error         1       17              0                         0
              notice        3      1–4              2                         0
              error: begins at 17: what was before is not in this log
              notice: 1 record reported lost, and yet no number is missing for it

            1 run, 4 records: nothing was lost in silence up to sequence 17; 2 records reported lost

            """
        #expect(VerificationReport(ledger).text == expected)
    }

    @Test
    func `what may stand before the beginning is told, and is no fault`() {
        let text = VerificationReport(ledger([41, 43, 44])).text
        #expect(text.contains("  notice: begins at 41: what was before is not in this log\n"))
        #expect(
            text.contains(
                "  notice: missing: 42, which may stand before the beginning of the log\n"
            )
        )
        #expect(
            text.hasSuffix(
                "1 run, 3 records: nothing was lost in silence up to sequence 44; 1 missing number is"
                    + " excused at an edge of the log: --complete excuses none\n"
            )
        )
    }

    @Test
    func `what may have been on the way at the end is told, and is a fault of a complete log`() {
        var ledger = ledger([1, 2])
        ledger.add(.record(record(4, .notice, thread: 2)))
        let report = VerificationReport(ledger)
        #expect(report.holds)
        #expect(
            report.text.contains(
                "  notice: missing: 3, which may have been on the way when the log ends\n"
            )
        )
        let complete = VerificationReport(ledger, isComplete: true)
        #expect(!complete.holds)
        #expect(complete.text.contains("  notice: missing, and in no report: 3\n"))
    }

    @Test
    func `what is missing is listed, and the rest of very many ranges counted`() {
        let report = VerificationReport(ledger([1, 2, 4, 7]))
        #expect(report.text.contains("  notice: missing, and in no report: 3, 5–6\n"))
        #expect(
            report.text.hasSuffix(
                "1 run, 4 records: FAILS: 3 numbers are missing without a report\n"
            )
        )
        let many = VerificationReport(ledger((0..<31).map { 2 * $0 + 1 }, lost: 1)).text
        #expect(
            many.contains("  notice: of these missing numbers reports explain all but 29: 2, 4, 6,")
        )
        #expect(many.contains(" 38, 40 and 10 more ranges\n"))
    }

    @Test
    func `one number for two records fails`() {
        var ledger = ledger([1, 2])
        ledger.add(.record(record(2, .notice, content: 1)))
        let report = VerificationReport(ledger)
        #expect(!report.holds)
        #expect(
            report.text.contains("  notice: two records of different content have one number: 2\n")
        )
        #expect(report.text.hasSuffix("FAILS: numbers stand for two records\n"))
    }

    @Test
    func `what cannot be verified is counted, file by file`() {
        var ledger = ledger([1])
        ledger.begin("a.log")
        for item in [LogItem.foreign, .foreign, .unnumbered, .torn] { ledger.add(item) }
        ledger.begin("b\n.log")
        ledger.add(.foreign)
        ledger.begin("c.log")
        ledger.begin("d.log")
        ledger.add(.unnumbered)
        ledger.begin("e.log")
        ledger.add(.torn)
        #expect(ledger.sources.map(\.isUnverifiable) == [false, false, true, false, true, false])
        let text = VerificationReport(ledger).text
        let expected = """

            a.log: 1 record without a number of the level: of an earlier Winnow
            a.log: 2 lines not of Winnow
            a.log: 1 line torn: only a part of a record
            b\\n.log: 1 line not of Winnow
            d.log: 1 record without a number of the level: of an earlier Winnow
            e.log: 1 line torn: only a part of a record
            1 run, 1 record: nothing was lost in silence up to sequence 1

            """
        #expect(text.hasSuffix(expected), "\(text)")
    }

    @Test
    func `the verdict on several runs holds up to the last record of each`() {
        var ledger = ledger([1, 2])
        var other = record(1, .notice)
        other.run = .init(identity: 7, processID: 7)
        ledger.add(.record(other))
        let text = VerificationReport(ledger).text
        #expect(text.contains("run 00000007, process 7, sequence 1, 2026-"))
        #expect(text.hasSuffix("was lost in silence up to the last sequence of each run\n"))
    }

    @Test
    func `one record that came again is told in the singular`() {
        var ledger = ledger([1])
        ledger.add(.record(record(1, .notice)))
        let text = VerificationReport(ledger).text
        #expect(
            text.contains("  notice: 1 record stands here more than once, each time the same\n")
        )
    }

    @Test
    func `a level of which all was lost has the numbers of its reports`() {
        var ledger = ledger([1])
        var report = record(0, .warning, content: 1)
        report.lost = [.debug: .init(15_000, first: 1, last: 15_000)]
        ledger.add(.record(report))
        let text = VerificationReport(ledger).text
        #expect(text.contains("  0  1–15000          15000                         0\n"))
        #expect(!text.contains("debug:"))
    }

    @Test
    func `for programs it is this object`() {
        let expected = """
            {
              "runs": [
                {"run": "00abcdef", "process": 812, "from": "2026-11-21T09:30:15.000000Z", \
            "to": "2026-11-21T09:30:15.000004Z", "first": 1, "last": 4, "levels": [{"level": "notice", "records": 2, \
            "first": 1, "last": 4, "lost": 1, "diverted": 0, "excluded": 0, "missing": 2, "unsettled": 0, \
            "underway": 0, "unexplained": 1, "overreported": 0, \
            "holes": [[2, 3]], "repeated": 0, "uncompared": 0, "contradicted": []}]}
              ],
              "records": 2,
              "lost": 1,
              "unexplained": 1,
              "files": [
                {"name": "the log", "records": 3, "unnumbered": 0, "foreign": 0, "torn": 0, "suppressed": 0}
              ],
              "unnumbered": 0,
              "foreign": 0,
              "torn": 0,
              "suppressed": 0,
              "complete": false,
              "holds": false
            }

            """
        #expect(VerificationReport(ledger([1, 4], lost: 1)).json == expected)
    }

    @Test
    func `a log is not approved of whose unit journald suppressed messages`() {
        var ledger = ledger([1, 2, 3])
        for count in [UInt64(7), 9_000] {
            let time = 1_795_253_415_000_000 + count
            ledger.add(Suppression(unit: "app.service", count: count, time: time))
        }
        let report = VerificationReport(ledger)
        #expect(!report.holds)
        let remark = """
            the log: journald suppressed 9007 messages of app.service, as it says at \
            2026-11-21T09:30:15.000007Z to 2026-11-21T09:30:15.009000Z: more came than its rate limit \
            allows, RateLimitBurst= in journald.conf or LogRateLimitBurst= of the unit
            1 run, 3 records: FAILS: journald suppressed 9007 messages of the unit

            """
        #expect(report.text.hasSuffix(remark), "\(report.text)")
        #expect(report.json.contains("\n  \"suppressed\": 9007,\n"))
    }
}
