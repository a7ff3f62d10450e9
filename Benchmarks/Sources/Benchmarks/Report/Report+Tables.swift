// SPDX-License-Identifier: Apache-2.0

extension Report {
    /// All tables, in the order of the reading.
    var tables: [Table] {
        let calls =
            latencyTables + [firstLapTable, fieldsTable, coldTable, firstTable] + arrivalTables
        return (calls + throughputTables + [allocationTable, memoryTable, stallTable, barTable])
            .filter { !$0.rows.isEmpty }
    }

    /// A table for each group: nanoseconds a call, and the ratio to Winnow's.
    private var latencyTables: [Table] {
        Contestant.groups.map { group in
            var table = Table(
                title: "\(group.title); ns a call: p50 / p99 / p99.9",
                header: ["logger", "call", "on"] + Shape.allCases.map(\.rawValue) + ["ratio"]
            )
            let found = results.filter {
                $0.measure == .latency && group.members.contains($0.contestant)
            }
            for result in found.sorted(by: { order(in: group.members, $0, $1) }) {
                let call = result.contestant.isClock ? "" : result.call.rawValue
                let place = result.contestant.usesFile ? result.place : ""
                table.rows.append(
                    [result.contestant.title, call, place]
                        + Shape.allCases.map { percentiles(of: result, $0.rawValue) }
                        + [ratio(of: result, in: group.members)]
                )
            }
            return table
        }
    }

    /// The three percentiles in one cell.
    private func percentiles(of result: Result, _ shape: String) -> String {
        let values = ["p50", "p99", "p99.9"].map { result.figures[Shape.figure(shape, $0)] }
        return values.contains(nil) ? "–" : values.map(\.short).joined(separator: " / ")
    }

    private func order(in members: [Contestant], _ left: Result, _ right: Result) -> Bool {
        func key(_ result: Result) -> (Int, String, Int) {
            let call = Call.allCases.firstIndex(of: result.call) ?? 0
            return (call, result.place, members.firstIndex(of: result.contestant) ?? 0)
        }
        return key(left) < key(right)
    }

    /// The typical cost as a multiple of Winnow's for the same call.
    private func ratio(of result: Result, in members: [Contestant]) -> String {
        guard let winnow = members.first, result.contestant != winnow else { return "1" }
        let shape = result.contestant.isPaced ? Shape.single : .burst1000
        let name = Shape.figure(shape.rawValue, "p50")
        let own = self.result(.latency, winnow, result.call, place: result.place)?.figures[name]
        guard let own, own > 0.05, let value = result.figures[name] else { return "–" }
        return (value / own).short
    }

    private var fieldsTable: Table {
        let names = ["in the message, ns", "as fields, ns", "beyond, ns"]
        var table = Table(
            title: "Three values as fields and in the message, in one process; p50 of each round",
            header: ["logger"] + names
        )
        table.rows = results.filter { $0.measure == .fields }.map { result in
            [result.contestant.title]
                + names.map { name in
                    result.rounds.map { $0[name].short }.joined(separator: " / ")
                }
        }
        return table
    }

    private var firstLapTable: Table {
        var table = Table(
            title: "Bursts of 20, first lap of each thread's ring; ns a call: p50 / p99 / p99.9",
            header: ["logger", "ns", "page faults a thread"]
        )
        table.rows = results.filter { $0.measure == .firstLap }.map { result in
            [
                result.contestant.title, percentiles(of: result, "first lap"),
                result.figures["page faults a thread"].short,
            ]
        }
        return table
    }

    private var coldTable: Table {
        var table = Table(
            title: "Single calls, caches cold; ns: p50 / p99 / p99.9",
            header: ["logger", "ns"]
        )
        table.rows = results.filter { $0.measure == .cold }
            .map { [name(of: $0.contestant), percentiles(of: $0, "cold")] }
        return table
    }

    private var firstTable: Table {
        let names = ["start", "first call", "second call", "third call"].map { "\($0), µs" }
        var table = Table(
            title: "First calls of processes with two threads; median / greatest",
            header: ["logger"] + names
        )
        table.rows = results.filter { $0.measure == .first }.map { result in
            [name(of: result.contestant)]
                + names.map { name in
                    let values = result.rounds.compactMap { $0[name] }.sorted()
                    guard let greatest = values.last else { return "–" }
                    return "\(values[values.count / 2].short) / \(greatest.short)"
                }
        }
        return table
    }

    private var arrivalTables: [Table] {
        [
            arrivalTable("From the call to the kernel", \.rawValue),
            arrivalTable("What these calls cost, with one look at a clock", \.call),
        ]
    }

    private func arrivalTable(_ title: String, _ name: (Pause) -> String) -> Table {
        var table = Table(
            title: "\(title), one record after each pause; µs: p50 / p99 / p99.9 / max",
            header: ["logger"] + Pause.allCases.map(\.rawValue)
        )
        table.rows = results.filter { $0.measure == .arrival }.map { result in
            [result.contestant.title]
                + Pause.allCases.map { pause in
                    let values = ["p50", "p99", "p99.9", "max"]
                        .map { result.figures[Shape.figure(name(pause), $0)] }
                    guard !values.contains(nil) else { return "–" }
                    return values.map { $0.map { $0 / 1_000 }.short }.joined(separator: " / ")
                }
        }
        return table
    }

    /// For each file system: thousands of messages a second until the last is in the file.
    private var throughputTables: [Table] {
        let found = results.filter { $0.measure == .throughput }
        return Set(found.map(\.place)).sorted().map { place in
            var table = Table(
                title: "End to end, text to a file on \(place)",
                header: [
                    "logger", "threads", "thousand messages/s", "ratio", "lost", "missing lines",
                    "callers' CPU s/million", "worker's CPU s/million", "bytes a line",
                ]
            )
            table.rows = found.filter { $0.place == place }.map { throughputRow($0) }
            return table
        }
    }

    private func throughputRow(_ result: Result) -> [String] {
        let rate = result.figures["messages a second"]
        let own = self.result(
            .throughput,
            .winnowDeferred,
            result.call,
            place: result.place,
            threads: result.threads
        )?.figures["messages a second"]
        let ratio = own.flatMap { own in rate.map { $0 / own } }
        return [
            name(of: result.contestant), String(result.threads), rate.map { $0 / 1_000 }.short,
            ratio.short,
            result.figures["lost"].short, result.figures["missing lines"].short,
            result.figures["callers' processor s per million"].short,
            result.figures["worker's processor s per million"].short,
            result.figures["bytes a line"].short,
        ]
    }

    private var allocationTable: Table {
        var table = Table(
            title: "Allocations a call, on the caller's thread",
            header: ["logger"] + [Call.text, .values, .fields].map(\.rawValue)
        )
        for contestant in Contestant.allCases {
            let counts = [Call.text, .values, .fields].map {
                least("allocations a call", .allocations, contestant, $0).short
            }
            guard counts.contains(where: { $0 != "–" }) else { continue }
            table.rows.append([name(of: contestant)] + counts)
        }
        return table
    }

    private var memoryTable: Table {
        let found = results.filter { $0.measure == .memory }
        let names = Set(found.flatMap(\.figures.keys)).sorted()
        var table = Table(title: "Resident memory", header: ["logger", "threads"] + names)
        table.rows = found.map { result in
            [name(of: result.contestant), String(result.threads)]
                + names.map { result.figures[$0].short }
        }
        return table
    }

    private var stallTable: Table {
        var table = Table(
            title: "A pipe that nobody reads, deferred, overflow drop",
            header: ["figure", "value"]
        )
        let figures = results.first { $0.measure == .stall }?.figures ?? [:]
        table.rows = figures.sorted { $0.key < $1.key }.map { [$0.key, $0.value.short] }
        return table
    }

    private var barTable: Table {
        var table = Table(
            title: "The bar",
            header: ["what", "bound", "measured", "holds"]
        )
        table.rows = bar.map { row in
            [row.title, row.bound, row.value.short, row.holds.map { $0 ? "yes" : "NO" } ?? "–"]
        }
        return table
    }

    /// The name of a contestant that stands outside its group.
    private func name(of contestant: Contestant) -> String {
        switch contestant {
        case .winnowFile: "Winnow, immediate, file"
        case .winnowPipe: "Winnow, immediate, stderr"
        case .winnowJournal: "Winnow, immediate, journald"
        case .winnowListener: "Winnow, immediate, syslog"
        default: contestant.title
        }
    }
}
