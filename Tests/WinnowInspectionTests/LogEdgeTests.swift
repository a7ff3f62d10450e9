// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowInspection

/// Which missing numbers may stand before a log, or have been on their way when it ends.
struct LogEdgeTests {
    /// Records of one run, each with its number among all, its thread, its level and its number there.
    private struct Log {
        private(set) var records: [NumberedRecord] = []
        private var next: [Level: UInt64] = [:]
        private var sequence: UInt64
        /// The microseconds from one record to the next.
        private let pace: UInt64

        init(
            from sequence: UInt64 = 1,
            debug: UInt64 = 1,
            warning: UInt64 = 1,
            pace: UInt64 = 100
        ) {
            self.sequence = sequence
            self.pace = pace
            next = [.debug: debug, .warning: warning]
        }

        /// Adds the next records of a thread, or leaves them out.
        mutating func log(
            _ count: Int = 1,
            _ level: Level = .debug,
            on thread: Int64 = 1,
            isThere: Bool = true
        ) {
            for _ in 0..<count {
                let record = NumberedRecord(
                    run: .init(identity: 1, processID: 10),
                    thread: thread,
                    level: level,
                    time: sequence * pace,
                    sequence: sequence,
                    levelSequence: next[level] ?? 1,
                    fingerprint: 0
                )
                sequence += 1
                next[level, default: 1] += 1
                if isThere { records.append(record) }
            }
        }

        /// Adds a report.
        mutating func report(lost: NumberedRecord.Claims) {
            var report = records[0]
            (report.level, report.sequence, report.levelSequence) = (.warning, 0, 0)
            report.lost = lost
            records.append(report)
        }

        func finding(_ level: Level = .debug, isComplete: Bool = false) throws -> LevelFinding {
            var ledger = Ledger()
            // From the end, as the order does not matter.
            for record in records.reversed() { ledger.add(.record(record)) }
            let run = try #require(ledger.findings(isComplete: isComplete).first)
            return try #require(run.levels.first { $0.level == level })
        }
    }

    @Test
    func `what others logged while the first record was on its way may stand before it`() throws {
        var log = Log(from: 4_000, debug: 3_000)
        log.log(on: 1)
        log.log(5_000, on: 2, isThere: false)
        log.log(on: 2)
        log.log(100, on: 1)
        let finding = try log.finding()
        #expect(finding.missing == 5_000 && finding.unsettled == 5_000 && finding.holds)
        let complete = try log.finding(isComplete: true)
        #expect(complete.unsettled == 0 && complete.unexplained == 7_999)
    }

    @Test
    func `behind the second record of a thread nothing stands before the log`() throws {
        var log = Log(from: 4_000, debug: 3_000)
        log.log(2, on: 1)
        log.log(2, on: 1, isThere: false)
        for thread in [2, 1] { log.log(on: Int64(thread)) }
        let finding = try log.finding()
        #expect(finding.unsettled == 0 && finding.unexplained == 2)
    }

    @Test
    func `a rare level is held to account by the records of the others`() throws {
        var log = Log(from: 4_000, debug: 3_000, warning: 100)
        for number in 0..<60 {
            log.log(10, on: Int64(number % 3))
            log.log(1, .warning, on: 1, isThere: number == 0 || number == 59)
        }
        for thread in 0..<3 { log.log(on: Int64(thread)) }
        let finding = try log.finding(.warning)
        #expect(finding.records == 2 && finding.missing == 58)
        #expect(finding.unsettled == 0 && finding.unexplained == 58)
    }

    @Test
    func `no more stand before the log than numbers of the run are missing there`() throws {
        var log = Log(from: 4_000, debug: 3_000, warning: 100)
        log.log(1, .warning, on: 1)
        log.log(20, on: 1)
        log.log(58, .warning, on: 1, isThere: false)
        log.log(1, .warning, on: 1)
        let finding = try log.finding(.warning)
        // One, as a thread may be suspended between the two numbers of a record.
        #expect(finding.unsettled == 1 && finding.unexplained == 57)
    }

    @Test
    func `of more than 64 threads, and farther than others overtake, nothing is excused`() throws {
        var crowd = Log(from: 4_000, debug: 3_000)
        for thread in 0..<65 { crowd.log(on: Int64(thread)) }
        crowd.log(on: 99, isThere: false)
        for thread in 0..<65 { crowd.log(on: Int64(thread)) }
        #expect(try crowd.finding().unexplained == 1)
        var far = Log(from: 40_000, debug: 30_000)
        far.log(on: 1)
        far.log(20_000, on: 2, isThere: false)
        far.log(on: 2)
        let finding = try far.finding()
        #expect(finding.unsettled == 16_384 && finding.unexplained == 3_616)
    }

    @Test
    func `a log that begins with its run has no records before it`() throws {
        var log = Log()
        log.log(on: 1)
        log.log(3, on: 2, isThere: false)
        for thread in [2, 1] { log.log(on: Int64(thread)) }
        #expect(try log.finding().unexplained == 3)
    }

    @Test
    func `what is reported at the beginning excuses nothing farther on`() throws {
        var log = Log(from: 4_000, debug: 3_000)
        log.log(on: 1)
        log.log(2, on: 2, isThere: false)
        log.log(3, on: 1)
        log.log(2, on: 1, isThere: false)
        log.log(3, on: 1)
        log.report(lost: [.debug: .init(2, first: 3_001, last: 3_002)])
        let finding = try log.finding()
        #expect(finding.unsettled == 0 && finding.unexplained == 2)
    }

    /// The others log 6 000 records before the third thread takes its next number.
    @Test(arguments: [(10, 2), (100, 1)] as [(UInt64, UInt64)])
    func `a record of each thread may be on its way when the log ends`(
        pace: UInt64,
        underway: UInt64
    ) throws {
        var log = Log(pace: pace)
        for _ in 0..<100 { for thread in 1...4 { log.log(on: Int64(thread)) } }
        log.log(on: 2, isThere: false)
        for _ in 0..<3_000 { for thread in [1, 4] { log.log(on: Int64(thread)) } }
        log.log(on: 3, isThere: false)
        for thread in [1, 4] { log.log(on: Int64(thread)) }
        // Where the third thread was silent for long before, only the second one is believed.
        let finding = try log.finding()
        #expect(finding.missing == 2 && finding.underway == underway)
        #expect(finding.unexplained == 2 - underway)
        let complete = try log.finding(isComplete: true)
        #expect(complete.underway == 0 && complete.unexplained == 2)
    }

    @Test
    func `a thread that has written since had nothing on its way`() throws {
        var log = Log()
        log.log(50, on: 1)
        log.log(on: 1, isThere: false)
        log.log(5, on: 1)
        #expect(try log.finding().unexplained == 1)
        var two = Log()
        two.log(50, on: 2)
        two.log(2, on: 2, isThere: false)
        two.log(5, on: 1)
        #expect(try two.finding().underway == 1 && two.finding().unexplained == 1)
    }

    @Test
    func `a hole far from the end, or where no number of the run is missing, is a loss`() throws {
        var far = Log()
        far.log(20, on: 2)
        far.log(on: 2, isThere: false)
        far.log(20_000, on: 1)
        #expect(try far.finding().unexplained == 1)
        var dense = Log()
        dense.log(1, .warning, on: 1)
        dense.log(1, .warning, on: 1, isThere: false)
        dense.log(17_000, on: 1)
        dense.log(1, on: 2)
        dense.log(1, .warning, on: 1)
        dense.log(5, on: 1)
        #expect(try dense.finding(.warning).unexplained == 1)
    }

    @Test
    func `reports explain what lies before the first record, where they name all of it`() throws {
        var log = Log(from: 4_000, debug: 2_245)
        log.log(100, on: 1)
        log.report(lost: [.debug: .init(2_244, first: 1, last: 2_244)])
        let whole = try log.finding()
        #expect(whole.missing == 2_244 && whole.lostBefore == 0 && whole.unexplained == 0)
        var part = Log(from: 4_000, debug: 2_245)
        part.log(100, on: 1)
        part.report(lost: [.debug: .init(2_243, first: 1, last: 2_244)])
        #expect(try part.finding().missing == 0 && part.finding().lostBefore == 2_243)
    }

    @Test
    func `a level of which all was lost is accounted for by its reports`() throws {
        var log = Log()
        log.log(on: 1)
        log.report(lost: [.error: .init(15_000, first: 1, last: 15_000)])
        let finding = try log.finding(.error)
        #expect(finding.records == 0 && finding.missing == 15_000)
        #expect(finding.lostBefore == 0 && finding.unexplained == 0)
    }
}
