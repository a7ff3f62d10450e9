// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// The checks themselves: a right sink passes, and each wrong one is found out.
@Suite(.timeLimit(.minutes(30)))
struct SinkConformanceTests {
    /// The checks of a sink before a store in memory.
    private func conformance(
        _ fault: BrokenSink.Fault?,
        store: @escaping @Sendable () -> LineStore = { LineStore() }
    ) -> SinkConformance {
        SinkConformance {
            let store = store()
            var subject = SinkConformance.Subject(BrokenSink(fault, store: store))
            subject.delivered = { store.lines }
            subject.relocate = { store.move() }
            subject.outage = .init(
                .unavailable,
                begin: { store.isAway = true },
                end: { store.isAway = false }
            )
            subject.stall = .init(
                .busy,
                begin: { store.isStalled = true },
                end: { store.isStalled = false }
            )
            return subject
        }
    }

    @Test func `a sink that keeps all laws passes all checks`() async throws {
        let report = await conformance(nil).run()
        try report.verify()
        #expect(report.passed == ConformanceLaw.ofSink)
    }

    @Test func `a test that is no task may run the checks`() throws {
        let report = conformance(nil).runBlocking()
        try report.verify()
        #expect(report.passed == ConformanceLaw.ofSink)
    }

    /// What each wrong sink breaks, and what the report must say of it.
    private static let table: [(BrokenSink.Fault, ConformanceLaw, seen: String)] = [
        (.losesEveryTenth, .delivery, "is missing"),
        (.deliversTwice, .delivery, "is there more than once"),
        (.reorders, .delivery, "the order differs"),
        (.flushesNothing, .delivery, "is missing"),
        (.swallowsFailure, .refusal, "is missing"),
        (.deliversAndThrows, .refusal, "a record is there that the sink did not take"),
        (.throwsAnotherCode, .refusal, "threw rejected"),
        (.staysAway, .refusal, "still threw failed"),
        (.losesWhileStalled, .boundedTime, "is missing"),
        (.waitsLong, .boundedTime, "seconds with each record"),
        (.queuesWithoutBound, .boundedTime, "took 32 MiB"),
        (.callsAStallFailed, .boundedTime, "threw failed"),
        (.writesRawMessages, .hostileMessages, "that nobody wrote"),
        (.leavesEscapes, .hostileMessages, "with U+1B"),
        (.leavesBytes, .hostileMessages, "not UTF-8"),
        (.dropsEmptyMessages, .hostileMessages, "an empty message is missing"),
        (.writesRawFields, .hostileFields, "that nobody wrote"),
        (.writesRawCategories, .hostileFields, "in the category and in the place"),
        (.writesRawPlaces, .hostileFields, "in the category and in the place"),
        (.losesRecordsWithNumbers, .hostileFields, "is missing"),
        (.losesRecordsWithManyFields, .hostileFields, "is missing"),
        (.cutsLongMessages, .largeMessages, "is not whole"),
        (.partsLongMessages, .largeMessages, "that nobody wrote"),
        (.knowsOneThread, .threads, "is missing"),
        (.readsLater, .lending, "is missing"),
        (.flushRepeats, .idleCalls, "more than once"),
        (.flushFails, .idleCalls, "threw failed"),
        (.forgetsAtReopening, .reopening, "is missing"),
        (.reopensToNothing, .reopening, "still threw failed"),
        (.staysAtTheOldPlace, .relocation, "is missing"),
        (.raisesSIGPIPE, .signals, "SIGPIPE was raised"),
        (.leaksDescriptors, .descriptors, "descriptors are open"),
    ]

    @Test(arguments: table.indices)
    func `a sink that breaks one law is found out`(index: Int) async throws {
        let (fault, law, seen) = Self.table[index]
        var conformance = conformance(fault)
        conformance.laws = [law]
        // What never comes need not be waited for.
        conformance.patience = .milliseconds(50)
        let report = await conformance.run()
        #expect(report.failed == [law], "\(fault): \(report)")
        #expect(report.description.contains(seen), "\(fault): \(report)")
        #expect(throws: ConformanceError.self) { try report.verify(unchecked: [law]) }
    }

    @Test func `a sink that waits for ever is found out`() async {
        let store = LineStore()
        var conformance = conformance(.waitsForEver) { store }
        conformance.laws = [.boundedTime]
        conformance.callLimit = .milliseconds(50)
        let report = await conformance.run()
        // The thread that was left behind goes on.
        store.free()
        #expect(report.failed == [.boundedTime])
        #expect(report.description.contains("write(_:) has not returned after 0.05 seconds"))
    }

    @Test func `every fault is one that a check finds`() {
        let found = Set(Self.table.map(\.0)).union([.waitsForEver])
        #expect(found == Set(BrokenSink.Fault.allCases))
        #expect(Set(Self.table.map(\.1)) == Set(ConformanceLaw.ofSink))
    }

    @Test func `what a subject cannot do is said, and is no success unless it is named`() async {
        let conformance = SinkConformance { .init(BrokenSink(nil, store: LineStore())) }
        let report = await conformance.run()
        #expect(report.skipped == ConformanceLaw.ofSink)
        #expect(report.description.contains("it has no 'delivered'"))
        #expect(report.description.contains("no 'outage'"))
        #expect(throws: ConformanceError.self) { try report.verify() }
        #expect(throws: ConformanceError.self) { try report.verify(unchecked: [.delivery]) }
        #expect(throws: Never.self) {
            try report.verify(unchecked: Set(ConformanceLaw.ofSink))
        }
    }

    @Test func `a subject that cannot be made fails each check`() async {
        struct NoRoom: Error {}
        let report = await SinkConformance { throw NoRoom() }.run()
        #expect(report.failed == ConformanceLaw.ofSink)
        #expect(report.description.contains("the subject threw: NoRoom()"))
    }

    @Test func `sinks of this product keep the laws`() async throws {
        let conformance = SinkConformance {
            let records = RecordingSink()
            let sink = FailingSink(records)
            var subject = SinkConformance.Subject(sink)
            subject.isText = false
            subject.delivered = { records.records.map { Array($0.message.utf8) } }
            subject.outage = .init(
                .unavailable,
                begin: { sink.fail(with: SinkError(.unavailable)) },
                end: { sink.succeed() }
            )
            subject.stall = .init(
                .busy,
                begin: { sink.fail(with: SinkError(.busy), probability: 0.5, seed: 1) },
                end: { sink.succeed() }
            )
            return subject
        }
        try await conformance.run().verify(unchecked: [.relocation])
    }
}
