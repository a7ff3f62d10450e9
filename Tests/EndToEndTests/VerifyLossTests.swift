// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Synchronization
import Testing
import Winnow
import WinnowPipeline

/// A file that refuses some records and is busy for a time, as a sink with little room is.
private final class LosingSink: Sink {
    private let file: FileSink
    private let failure = Mutex<SinkError?>(nil)

    init(path: String) throws(SinkError) {
        file = try FileSink(path: path, formatter: JSONFormatter())
    }

    func fail(with error: SinkError?) { failure.withLock { $0 = error } }

    func write(_ record: borrowing Record) throws(SinkError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        let isFirst = record.message.hasPrefix("first ")
        if !isFirst, record.sequence % 7 == 3 { throw SinkError(.rejected) }
        try file.write(record)
    }
}

/// `winnow verify` of the log of a sink that loses records.
@Suite(.exclusivePipeline)
struct VerifyLossTests {
    private let folder: TemporaryFolder
    private let sink: LosingSink
    private let log = Log("tests.verify")
    private var path: String { "\(folder.path)/app.log" }

    init() throws {
        folder = try TemporaryFolder()
        sink = try LosingSink(path: "\(folder.path)/app.log")
    }

    private func install(_ delivery: DeliveryMode, fallback: (any Sink)? = nil) {
        let route = SinkRoute(
            name: "losing",
            slot: SinkSlot(sink),
            levels: .all,
            fallback: fallback.map { SinkSlot($0) },
            capacity: 16 * 1_024
        )
        Pipeline.install(
            RoutingPlan(routes: [route], privacy: .redact, delivery: delivery)
        )
    }

    private func verify(_ paths: [String]) throws -> Program.Outcome {
        try Program.run(["verify"] + paths, executable: VerifyTests.tool)
    }

    private static let modes: [DeliveryMode] = [
        .immediate, .deferred(patience: 0, ringByteCount: 16 * 1_024),
    ]

    @Test(arguments: Self.modes)
    func `losses that are reported are explained, and a line that is gone is not`(
        delivery: DeliveryMode
    ) throws {
        install(delivery)
        for number in 0..<150 {
            log.error("first \(number)")
            log.debug("first \(number)")
            // They find room.
            if number % 10 == 0 { _ = Pipeline.flush(within: 60_000_000_000) }
        }
        _ = Pipeline.flush(within: 60_000_000_000)
        sink.fail(with: SinkError(.busy))
        for number in 0..<2_000 { log.log(number % 3 == 0 ? .error : .debug, "burst \(number)") }
        sink.fail(with: nil)
        _ = Pipeline.flush(within: 60_000_000_000)
        for number in 0..<200 {
            log.log(number % 2 == 0 ? .debug : .error, "last \(number)")
            // Of a ring without room only one may be left, and that one refused.
            if number % 10 == 0 { _ = Pipeline.flush(within: 60_000_000_000) }
        }
        #expect(Pipeline.flush(within: 60_000_000_000))
        let account = Pipeline.accounts[0]
        #expect(account.lostTotal > 200)

        let explained = try verify([path])
        #expect(explained.status == 0, "\(explained.stdout)\(explained.stderr)")
        let verdict = explained.stdout.split(separator: "\n").last ?? ""
        let beginning = "1 run, \(account.delivered) records: nothing was lost in silence up to "
        #expect(verdict.hasPrefix(beginning))
        #expect(verdict.hasSuffix("; \(account.lostTotal) records reported lost"))
        try expectTheLossOfALineIsNamed()
    }

    /// Takes out one of the last records, and looks for its number.
    private func expectTheLossOfALineIsNamed() throws {
        var lines = try folder.lines(of: "app.log")
        // One between others of its level: on a busy machine, all earlier or all later ones may be lost, and a
        // beginning or an end that is missing leaves no gap.
        let index = try #require(
            lines.indices.first { index in
                guard lines[index].contains("last ") else { return false }
                let level = lines[index].contains(#""level":"error""#) ? "error" : "debug"
                let isOfLevel = { (line: String) in line.contains(#""level":"\#(level)""#) }
                return lines[..<index].contains(where: isOfLevel)
                    && lines[(index + 1)...].contains(where: isOfLevel)
            }
        )
        let line = lines.remove(at: index)
        let text = try #require(line.firstMatch(of: #/"level_sequence":(\d+)/#)?.1)
        let number = try #require(Int(text))
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
        let outcome = try verify([path, "--format", "json"])
        #expect(outcome.status == 1)
        #expect(outcome.stdout.contains("\"unexplained\": 1,"))
        // Its neighbors may be lost as well.
        let isNamed = outcome.stdout.matches(of: #/\[(\d+), (\d+)\]/#).contains {
            (Int($0.1) ?? .max) <= number && number <= (Int($0.2) ?? 0)
        }
        #expect(isNamed, "\(number): \(outcome.stdout)")
        #expect(try verify([path]).stdout.contains("reports explain all but 1: "))
    }

    @Test(arguments: DeliveryMode.both)
    func `what went to a fallback is explained, and is there with the fallback's log`(
        delivery: DeliveryMode
    ) throws {
        let other = "\(folder.path)/fallback.log"
        install(delivery, fallback: try FileSink(path: other, formatter: JSONFormatter()))
        log.error("one")
        _ = Pipeline.flush(within: 60_000_000_000)
        sink.fail(with: SinkError(.unavailable))
        for number in 0..<10 { log.error("away \(number)") }
        _ = Pipeline.flush(within: 60_000_000_000)
        sink.fail(with: nil)
        for number in 0..<10 { log.error("back \(number)") }
        #expect(Pipeline.flush(within: 60_000_000_000))
        let alone = try verify([path])
        #expect(alone.status == 0, "\(alone.stdout)")
        #expect(alone.stdout.contains("  error: 10 records went to the fallback\n"))
        let both = try verify([other, path])
        #expect(both.status == 0, "\(both.stdout)")
        #expect(!both.stdout.contains("reports explain"))
    }
}
