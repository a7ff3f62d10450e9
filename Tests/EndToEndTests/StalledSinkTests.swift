// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing
import Winnow
import WinnowCore
import WinnowFormatters
import WinnowPipeline
import WinnowSinks

/// What the other sinks get while some take nothing: as if those were not there.
@Suite(.exclusivePipeline)
struct StalledSinkTests {
    private let folder: TemporaryFolder
    private let log = Log("tests.stalled")

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A caller waits for a second where its ring is full: for one sink that is behind this is for ever, and
    /// not for many in turn.
    private static let deferred = DeliveryMode.deferred(
        patience: 1_000_000_000,
        ringByteCount: DeliveryMode.defaultRingByteCount
    )

    /// Sets up a file and the sinks, in front of it, as those of the program's own come last anyway.
    private func install(
        _ sinks: [any Sink],
        _ mode: DeliveryMode,
        capacity: Int = 4 << 20
    ) throws {
        let file = try FileSink(path: "\(folder.path)/log", formatter: TextFormatter())
        var routes = sinks.enumerated().map { index, sink in
            SinkRoute(name: "\(index)", slot: SinkSlot(sink), levels: .all, capacity: capacity)
        }
        routes.append(SinkRoute(name: "file", slot: SinkSlot(file), levels: .all))
        Pipeline.install(
            RoutingPlan(routes: routes, privacy: .redact, delivery: mode)
        )
    }

    private var account: SinkStatus? { Pipeline.accounts.last }

    private func logNotices(_ count: Int, byteCount: Int) {
        let text = String(repeating: "n", count: byteCount)
        for number in 0..<count { log.notice("\(number) \(text)") }
    }

    /// Waits until the file has all records, or has lost one.
    private func expectInFile(_ count: Int) throws {
        waitUntil("the file has all records", every: 1_000) {
            account.map { $0.delivered + $0.lostTotal >= UInt64(count) } ?? false
        }
        #expect(account?.lostTotal == 0, "\(account?.lost ?? [:])")
        #expect(try folder.lines(of: "log").count == count)
    }

    @Test(
        arguments: [Self.deferred, .immediate],
        [(count: 3_000, byteCount: 300), (count: 60, byteCount: 20_000)]
    )
    func `what fits into the queues of many that take nothing is lost nowhere`(
        mode: DeliveryMode,
        records: (count: Int, byteCount: Int)
    ) throws {
        let kinds = (0..<8).flatMap { _ in StalledDestination.Kind.allCases }
        let stalled = kinds.enumerated().map {
            StalledDestination($1, in: folder, named: "\($0)")
        }
        try install(stalled.map(\.sink), mode)
        logNotices(records.count, byteCount: records.byteCount)
        try expectInFile(records.count)
        let threads = stalled.map { $0.read() }
        #expect(Pipeline.flush(within: patience))
        for (account, kind) in zip(Pipeline.accounts, kinds) {
            #expect(account.accepted == UInt64(records.count))
            #expect(account.delivered == account.accepted, "\(kind) \(account.lost)")
        }
        for (destination, kind) in zip(stalled, kinds) {
            waitUntil("\(kind) has all records") { destination.count >= records.count }
            destination.stop()
        }
        threads.forEach { $0.join() }
    }

    @Test(arguments: [false, true])
    func `what finds no room in their queues is lost there alone, also where they drip`(
        drips: Bool
    ) throws {
        let kinds = (0..<4).flatMap { _ in StalledDestination.Kind.allCases }
        let stalled = kinds.enumerated().map {
            StalledDestination($1, in: folder, named: "\($0)")
        }
        try install(stalled.map(\.sink), Self.deferred, capacity: 64 * 1_024)
        let dripping = drips ? stalled.map { $0.read(4_096, every: 20_000) } : []
        logNotices(6_000, byteCount: 100)
        try expectInFile(6_000)
        let threads = stalled.map { $0.read() }
        try expectOwnLosses()
        stalled.forEach { $0.stop() }
        (dripping + threads).forEach { $0.join() }
    }

    @Test
    func `what finds no room in the queues of the program's own is lost there alone`() throws {
        let gate = Gate()
        let own = (0..<8).map { _ in OwnSink { _ in gate.pass() } }
        try install(own, Self.deferred, capacity: 64 * 1_024)
        logNotices(20_000, byteCount: 100)
        try expectInFile(20_000)
        gate.open()
        try expectOwnLosses()
    }

    /// Has what waits delivered, and expects that the rest is lost for want of room in the queues.
    private func expectOwnLosses() throws {
        #expect(Pipeline.flush(within: patience))
        for account in Pipeline.accounts.dropLast() {
            #expect(account.accepted == account.delivered + account.lostTotal)
            #expect(account.lost.keys.allSatisfy { $0 == .queueFull })
        }
    }
}
