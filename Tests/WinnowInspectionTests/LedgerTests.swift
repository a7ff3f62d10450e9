// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowInspection

/// Which numbers of a log are missing, and whether its reports explain it.
struct LedgerTests {
    /// A record of a program.
    private func record(
        _ number: UInt64,
        _ level: Level = .debug,
        run: UInt32 = 1,
        processID: Int64 = 10,
        content: Int? = nil
    ) -> NumberedRecord {
        NumberedRecord(
            run: .init(identity: run, processID: processID),
            thread: 100,
            level: level,
            time: 1_000 * UInt64(run) &+ number,
            sequence: number,
            levelSequence: number,
            fingerprint: content ?? Int(truncatingIfNeeded: number)
        )
    }

    /// A report of Winnow's own.
    private func report(
        lost: NumberedRecord.Claims = [:],
        diverted: NumberedRecord.Claims = [:],
        excluded: NumberedRecord.Claims = [:],
        content: Int = 0
    ) -> NumberedRecord {
        var report = record(0, .warning, content: content)
        report.lost = lost
        report.diverted = diverted
        report.excluded = excluded
        return report
    }

    private func ledger(_ records: [NumberedRecord]) -> Ledger {
        var ledger = Ledger()
        for record in records { ledger.add(.record(record)) }
        return ledger
    }

    /// What is found of the only level of the only run.
    private func finding(
        _ records: [NumberedRecord],
        isComplete: Bool = false
    ) throws -> LevelFinding {
        let runs = ledger(records).findings(isComplete: isComplete)
        try #require(runs.count == 1)
        return try #require(runs[0].levels.first { $0.level == .debug })
    }

    @Test
    func `numbers without a gap hold`() throws {
        let finding = try finding((1...100).map { record($0) })
        #expect(finding.records == 100)
        #expect(finding.first == 1 && finding.last == 100)
        #expect(finding.holes == [])
        #expect(finding.holds)
    }

    @Test
    func `a gap without a report does not hold, and its numbers are named`() throws {
        let finding = try finding([1, 2, 5, 7].map { record($0) })
        #expect(finding.holes == [3...4, 6...6])
        #expect(finding.missing == 3)
        #expect(finding.unexplained == 3)
        #expect(!finding.holds)
    }

    @Test
    func `a report explains as many numbers of its levels, and no others`() throws {
        let records = [1, 4].map { record($0) }
        #expect(try finding(records + [report(lost: [.debug: .init(2)])]).holds)
        #expect(try finding(records + [report(lost: [.debug: .init(1)])]).unexplained == 1)
        #expect(try finding(records + [report(lost: [.error: .init(2)])]).unexplained == 2)
    }

    @Test
    func `what went to the fallback is explained, and is there with the fallback's log`() throws {
        let records = [1, 4].map { record($0) } + [report(diverted: [.debug: .init(2)])]
        #expect(try finding(records).holds)
        let both = try finding(records + [2, 3].map { record($0) })
        #expect(both.holds && both.missing == 0 && both.diverted == 2)
    }

    @Test
    func `what an earlier configuration kept from the sink is explained`() throws {
        let records = [1, 4].map { record($0) }
        // The range may hold more: what was logged while the configuration changed has either.
        let claim = NumberedRecord.Claim(3, first: 2, last: 4)
        let finding = try finding(records + [report(excluded: [.debug: claim])])
        #expect(finding.holds && finding.missing == 2 && finding.excluded == 3)
        #expect(try self.finding(records + [report(excluded: [.info: claim])]).unexplained == 2)
    }

    @Test
    func `a report that comes twice counts once, and one of another content besides`() throws {
        let records = [1, 4].map { record($0) }
        let one = report(lost: [.debug: .init(1)])
        #expect(try finding(records + [one, one]).unexplained == 1)
        #expect(try finding(records + [one, report(lost: [.debug: .init(1)], content: 1)]).holds)
    }

    @Test
    func `a report explains no number outside of its range`() throws {
        let records = (1...100).filter { !(10...13).contains($0) && $0 != 50 }.map { record($0) }
        // It counts one too many: 14 is there.
        let claim = NumberedRecord.Claim(5, first: 10, last: 14)
        #expect(try finding(records + [report(lost: [.debug: claim])]).unexplained == 1)
        #expect(try finding(records + [report(diverted: [.debug: claim])]).unexplained == 1)
        let other = report(lost: [.debug: .init(1, first: 50, last: 50)])
        #expect(try finding(records + [report(lost: [.debug: claim]), other]).holds)
    }

    @Test
    func `two reports explain no number twice`() throws {
        let records = [1, 4, 6].map { record($0) }
        let lost = report(lost: [.debug: .init(2, first: 2, last: 3)])
        let diverted = report(diverted: [.debug: .init(2, first: 2, last: 3)])
        #expect(try finding(records + [lost, diverted]).unexplained == 1)
        // One without a range explains what the others leave.
        #expect(try finding(records + [lost, report(lost: [.debug: .init(1)])]).holds)
    }

    @Test
    func `reports whose ranges overlap explain as much as they can`() throws {
        let records = [1, 4, 6, 8].map { record($0) }
        let claims: [NumberedRecord.Claim] = [
            .init(2, first: 2, last: 7), .init(1, first: 2, last: 3), .init(1, first: 3, last: 5),
        ]
        for first in claims.indices {
            let ordered = claims[first...] + claims[..<first]
            let reports = ordered.map { report(lost: [.debug: $0]) }
            #expect(try finding(records + reports).holds)
            #expect(try finding(records + reports.dropFirst()).unexplained == ordered[first].count)
        }
    }

    @Test(arguments: [40...40, 40...42] as [ClosedRange<UInt64>])
    func `a log begins with the numbers that reports explain, whatever is missing later`(
        hole: ClosedRange<UInt64>
    ) throws {
        let records = (11...60).filter { !hole.contains($0) }.map { record($0) }
        let first = report(lost: [.debug: .init(10, first: 1, last: 10)])
        let silent = try finding(records + [first])
        #expect(silent.holes == [1...10, hole])
        #expect(silent.unexplained == UInt64(hole.count) && silent.lostBefore == 0)
        let claim = NumberedRecord.Claim(
            UInt64(hole.count),
            first: hole.lowerBound,
            last: hole.upperBound
        )
        let told = try finding(records + [first, report(lost: [.debug: claim])])
        #expect(told.holds && told.holes == [1...10, hole] && told.lostBefore == 0)
    }

    @Test
    func `a report of another run explains nothing`() {
        var other = report(lost: [.debug: .init(2)])
        other.run = .init(identity: 2, processID: 10)
        let runs = ledger([record(1), record(4), other]).findings(isComplete: false)
        #expect(runs.count == 2)
        #expect(runs.flatMap(\.levels).map(\.unexplained).contains(2))
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `the order of the records does not matter`(seed: UInt64) throws {
        var numbers = (1...300).filter { $0 % 50 != 0 }.map { UInt64($0) }
        var state = seed
        for index in numbers.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            numbers.swapAt(index, Int(state &>> 33) % numbers.count)
        }
        let finding = try finding(numbers.map { record($0) })
        #expect(finding.holes == [50...50, 100...100, 150...150, 200...200, 250...250])
        #expect(finding.records == 294)
        #expect(finding.first == 1 && finding.last == 299)
    }

    @Test
    func `a beginning behind 1 is where the log begins, unless it is to be complete`() throws {
        let records = (17...20).map { record($0) }
        let finding = try finding(records)
        #expect(finding.first == 17 && finding.holds)
        let complete = try self.finding(records, isComplete: true)
        #expect(complete.holes == [1...16])
        #expect(complete.unexplained == 16)
        #expect(
            try self.finding(records + [report(lost: [.debug: .init(16)])], isComplete: true).holds
        )
    }

    @Test
    func `losses behind the last record are missing numbers like others`() throws {
        let records = [1, 2, 5].map { record($0) }
        for isComplete in [false, true] {
            let trailing = report(lost: [.debug: .init(3, first: 6, last: 8)])
            let finding = try finding(records + [trailing], isComplete: isComplete)
            #expect(finding.holes == [3...4, 6...8])
            #expect(finding.unexplained == 2)
            let all = report(lost: [.debug: .init(5, first: 3, last: 8)])
            #expect(try self.finding(records + [all], isComplete: isComplete).holds)
        }
        let alone = try finding(
            [report(lost: [.debug: .init(5, first: 1, last: 6)])],
            isComplete: true
        )
        #expect(alone.records == 0 && alone.first == nil && alone.unexplained == 1)
    }

    @Test
    func `losses before the beginning of the log explain nothing behind it`() throws {
        let records = (17...101).filter { $0 != 100 }.map { record($0) }
        let before = report(lost: [.debug: .init(3, first: 5, last: 16)])
        let finding = try finding(records + [before])
        #expect(finding.unexplained == 1 && finding.lostBefore == 3)
        // Of one that reaches over the beginning, the first lies before it.
        let across = report(lost: [.debug: .init(2, first: 5, last: 100)])
        #expect(try self.finding(records + [across]).holds)
        let single = report(lost: [.debug: .init(1, first: 5, last: 100)])
        #expect(try self.finding(records + [single]).unexplained == 1)
    }

    @Test
    func `what is there and reported lost is told, and a fault of a complete log`() throws {
        let records =
            [1, 2, 3].map { record($0) }
            + [report(lost: [.debug: .init(2, first: 2, last: 3)])]
        let finding = try finding(records)
        #expect(finding.overreported == 2 && finding.holds)
        #expect(!(try self.finding(records, isComplete: true).holds))
    }

    @Test
    func `the same record twice is told, and two under one number are a fault`() throws {
        let twice = try finding([record(1), record(2), record(2), record(3)])
        #expect(twice.repeated == 1 && twice.records == 3 && twice.holds)
        let two = try finding([record(1), record(2), record(2, content: 99), record(3)])
        #expect(two.contradicted == [2...2])
        #expect(!two.holds)
    }

    @Test
    func `a record that comes again behind very many others is not compared`() throws {
        let many = (1...70_000).map { record($0) }
        let finding = try finding(many + [record(1, content: 99), record(70_000)])
        #expect(finding.uncompared == 1 && finding.repeated == 1 && finding.holds)
    }

    @Test
    func `each run, each process and each level counts for itself`() {
        let records = [
            record(1), record(2), record(1, .error), record(1, run: 2), record(2, run: 2),
            record(3, run: 2, processID: 11),
        ]
        let runs = ledger(records).findings(isComplete: false)
        #expect(runs.map(\.run.identity) == [1, 2, 2])
        #expect(runs.map(\.run.processID) == [10, 10, 11])
        #expect(runs[0].levels.map(\.level) == [.error, .debug])
        #expect(runs[2].levels.map(\.first) == [3])
        #expect(runs.flatMap(\.levels).map(\.holds) == [true, true, true, true])
        #expect(runs[0].times == 1_001...1_002)
    }

    @Test
    func `the greatest numbers, which only a damaged log has, do no harm`() throws {
        let finding = try finding(
            [
                record(1), report(lost: [.debug: .init(.max)]),
                report(lost: [.debug: .init(.max)], content: 1),
            ]
                + [UInt64.max, .max - 1].map { record($0, content: 0) }
        )
        #expect(finding.holes == [2...UInt64.max - 2])
        #expect(finding.lost == .max && finding.holds)
    }
}
