// SPDX-License-Identifier: Apache-2.0

/// A bound, what was measured of it, and whether it holds.
///
/// Of nanoseconds each side is the least of its rounds; of messages a second, and of what fields cost, it is
/// the median.
struct Bar: Codable {
    var title: String
    var bound: String
    /// The measured value; nil where it could not be measured.
    var value: Double?
    var holds: Bool?
}

extension Bar {
    /// All bounds; what was not measured has no value.
    static func all(of report: Report) -> [Bar] {
        deferred(report) + reference(report) + arrivals(report) + file(report) + [journal(report)]
            + throughput(report)
            + allocations(report)
            + accounts(report)
    }

    private static func atMost(
        _ title: String,
        _ limit: Double,
        _ value: Double?,
        _ unit: String = ""
    ) -> Bar {
        Bar(
            title: title,
            bound: "at most \(limit.short)\(unit)",
            value: value,
            holds: value.map { $0 <= limit }
        )
    }

    private static func deferred(_ report: Report) -> [Bar] {
        let values = report.burst(.winnowDeferred, .values)
        let noOp = values / report.burst(.swiftLogNoOp, .values)
        let fields = report.result(.fields, .winnowDeferred, .fields)?.figures["beyond, ns"]
        let tail = report.ratio("burst 20 p99.9 ns", to: .spdlogAsync)
        return [
            atMost(
                "deferred, beyond the clock alone",
                3,
                values - report.burst(.counter, .text),
                " ns"
            ),
            atMost("deferred / spdlog async", 0.05, values / report.burst(.spdlogAsync, .values)),
            atMost("deferred / swift-log with a no-op handler", 0.05, noOp),
            atMost("deferred, three fields as pairs, beyond in the message", 1, fields, " ns"),
            atMost("deferred, p99.9 of bursts of 20 / spdlog async's", 0.05, tail),
        ]
    }

    /// What a call costs, in units of what it costs at least.
    private static func reference(_ report: Report) -> [Bar] {
        let name = "deferred / the reference in C"
        let bounds = [("burst 1000 p50 ns", 1.3), ("burst 20 p99 ns", 2), ("burst 20 p99.9 ns", 2)]
        return bounds.map { figure, limit in
            atMost("\(name), \(figure.dropLast(3))", limit, report.ratio(figure, to: .reference))
        }
    }

    /// How late the kernel has a record, by how long the worker had nothing to do.
    private static func arrivals(_ report: Report) -> [Bar] {
        Pause.bounded.map { pause in
            let name = Shape.figure(pause.rawValue, "p99")
            let time = report.least(name, .arrival, .winnowDeferred, .values)
            return atMost(
                "deferred, from the call to the kernel, p99, after \(pause.rawValue)",
                1,
                time.map { $0 / 1e6 },
                " ms"
            )
        }
    }

    private static func file(_ report: Report) -> [Bar] {
        let values = report.burst(.winnowFile, .values)
        let sync = values / report.burst(.spdlogSync, .values)
        let bare = values - report.burst(.bareWrite, .values)
        return [
            atMost("immediate to a file / spdlog flushing each record", 0.6, sync),
            atMost("immediate to a file, beyond the bare write(2)", 150, bare, " ns"),
        ]
    }

    private static func journal(_ report: Report) -> Bar {
        func single(_ contestant: Contestant) -> Double? {
            report.least("single p50 ns", .latency, contestant, .fields)
        }
        return atMost(
            "journald, unloaded / sd_journal_sendv of the same fields",
            1,
            single(.winnowJournal) / single(.systemdJournal)
        )
    }

    private static func throughput(_ report: Report) -> [Bar] {
        let places = report.results.filter { $0.measure == .throughput }.map(\.place)
        return Set(places).sorted().map { place in
            func rate(_ contestant: Contestant) -> Double? {
                report.result(.throughput, contestant, .values, place: place, threads: 1)?
                    .figures["messages a second"]
            }
            let ratio = rate(.winnowDeferred) / rate(.spdlogAsync)
            return Bar(
                title: "deferred end to end, 1 thread, \(place) / spdlog async",
                bound: "at least 4",
                value: ratio,
                holds: ratio.map { $0 >= 4 }
            )
        }
    }

    /// What is neither delivered nor counted as lost.
    private static func accounts(_ report: Report) -> [Bar] {
        let runs = report.results.filter { $0.measure == .throughput }.flatMap(\.rounds)
        let gaps = runs.map { abs($0["lost"] ?? 0) + abs($0["missing lines"] ?? 0) }
        let stalled = report.results.first { $0.measure == .stall }?.figures
        let explained = stalled?["lines of the calls"] + stalled?["lost at the end"]
        return [
            atMost("end to end: lost records and missing lines", 0, gaps.max()),
            atMost(
                "stalled sink: calls without a line or a loss",
                0,
                stalled?["calls"] - explained,
                ""
            ),
        ]
    }

    private static func allocations(_ report: Report) -> [Bar] {
        [Contestant.winnowDeferred, .winnowFile].map { contestant in
            let counts = report.results
                .filter { $0.measure == .allocations && $0.contestant == contestant }
                .compactMap { $0.figures["allocations a call"] }
            return atMost("\(contestant.title): allocations a call", 0, counts.max())
        }
    }
}

extension Report {
    /// Nanoseconds of a call in bursts of 1 000.
    fileprivate func burst(_ contestant: Contestant, _ call: Call) -> Double? {
        least("burst 1000 p50 ns", .latency, contestant, call)
    }

    /// A figure of deferred delivery, in units of another's.
    fileprivate func ratio(_ figure: String, to contestant: Contestant) -> Double? {
        least(figure, .latency, .winnowDeferred, .values)
            / least(figure, .latency, contestant, .values)
    }
}

/// Arithmetic of what may not have been measured.
private func / (left: Double?, right: Double?) -> Double? {
    guard let left, let right, right != 0 else { return nil }
    return left / right
}

private func + (left: Double?, right: Double?) -> Double? {
    guard let left, let right else { return nil }
    return left + right
}

private func - (left: Double?, right: Double?) -> Double? {
    guard let left, let right else { return nil }
    return left - right
}
