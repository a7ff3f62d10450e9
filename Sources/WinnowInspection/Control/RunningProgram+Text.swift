// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowFormatters

/// The list for people.
extension [RunningProgram] {
    /// A line for each process, with a head; a sentence where there is none.
    package var text: String {
        guard !isEmpty else { return "no process that you may look at shows a log\n" }
        let head = ["PID", "IDENTIFIER", "LEVELS", "SINKS", "QUEUED", "LOST", "SINCE"]
        return table([head] + map(\.row))
    }
}

extension RunningProgram {
    fileprivate var row: [String] {
        [
            "\(processID)", page.identifier.escaped(.line), page.defaultLevels,
            count(\.count), count { $0.reduce(0) { $0 &+ $1.queued } },
            count { $0.reduce(0) { $0 &+ $1.lost } }, page.since,
        ]
    }

    /// A number of its sinks.
    private func count<Number: FixedWidthInteger>(
        _ number: ([ControlAccounts.Sink]) -> Number
    ) -> String {
        page.accounts.map { "\(number($0.sinks))" } ?? "unknown"
    }

    /// What the process is called in a line of text.
    package var title: String { "process \(processID), \(page.identifier.escaped(.line))" }

    /// What a process shows, with a line for each sink and each category.
    package var text: String {
        let floor = "floor \(page.floor?.description ?? "none")"
        let run = page.run.map { ", run \(hexadecimal($0))" } ?? ""
        let rows = page.categories.map { category in
            [
                category.levels.description,
                category.name.isEmpty ? "(none)" : category.name.escaped(.line),
            ]
        }
        let unit = unit.map { ", unit \($0.escaped(.line))" } ?? ""
        return "\(title)\(run), since \(page.since)\(unit), \(floor)\n"
            + "filter \(page.state.filter.escaped(.line))\n" + turnText + "\n"
            + sinkText + table([["LEVELS", "CATEGORY"]] + rows)
    }
}

extension RunningProgram {
    /// What others have set.
    private var turnText: String {
        guard let turn = page.state.turn else { return "" }
        return "set to \(turn.filter.escaped(.line)) by user \(turn.userID), "
            + "process \(turn.processID), \(turn.timeLeft)\n"
    }

    /// The accounts of the sinks.
    private var sinkText: String {
        guard let accounts = page.accounts else { return "" }
        let head = ["SINK", "LEVELS", "ACCEPTED", "DELIVERED", "QUEUED", "LOST", "STATE"]
        let rows = accounts.sinks.map { sink in
            [sink.name.escaped(.line), "\(sink.levels)"]
                + [sink.accepted, sink.delivered, sink.queued, sink.lost].map { "\($0)" }
                + [sink.failure?.escaped(.line) ?? "takes records"]
        }
        return
            "records accepted: \(accounts.accepted), as of \(rfc3339(accounts.time))\(age(of: accounts))\n\n"
            + table([head] + rows) + "\n"
    }

    /// How old accounts were when somebody asked for newer ones, and why there are none; nothing where there are.
    private func age(of accounts: ControlAccounts) -> String {
        guard let question, accounts.time < question.time else { return "" }
        let seconds = (question.time - accounts.time) / 1_000_000_000
        return question.isAllowed
            ? ", \(seconds) s ago: it has not logged since you asked"
            : ", \(seconds) s ago: it lets nobody ask for newer ones"
    }

    /// The accounts of the sinks, as JSON.
    fileprivate var sinkJSON: String {
        let sinks = (page.accounts?.sinks ?? []).map { sink in
            object([
                ("name", jsonString(sink.name)), ("levels", "\"\(sink.levels)\""),
                ("accepted", "\(sink.accepted)"), ("delivered", "\(sink.delivered)"),
                ("queued", "\(sink.queued)"), ("lost", "\(sink.lost)"),
                ("failure", jsonString(sink.failure)),
            ])
        }
        return "[\(sinks.joined(separator: ", "))]"
    }

    /// What others have set, as JSON.
    fileprivate var turnJSON: String {
        guard let turn = page.state.turn else { return "null" }
        let members = [
            ("filter", jsonString(turn.filter)),
            ("uid", "\(turn.userID)"),
            ("pid", "\(turn.processID)"),
            ("until", jsonString(turn.end.map(rfc3339))),
        ]
        return object(members)
    }
}

/// The list for programs.
extension [RunningProgram] {
    /// A JSON array with an object for each process, whose keys always come in the same order.
    package var json: String {
        isEmpty ? "[]\n" : "[\n  \(map(\.json).joined(separator: ",\n  "))\n]\n"
    }
}

extension RunningProgram {
    fileprivate var json: String {
        let categories = page.categories.map {
            object([("name", jsonString($0.name)), ("levels", jsonString("\($0.levels)"))])
        }
        let members = [
            ("pid", "\(processID)"),
            ("identifier", jsonString(page.identifier)),
            ("unit", jsonString(unit)),
            ("run", jsonString(page.run.map(hexadecimal))),
            ("since", jsonString(page.since)),
            ("floor", jsonString(page.floor?.description ?? "none")),
            ("filter", jsonString(page.state.filter)),
            ("set", turnJSON),
            ("as_of", jsonString(page.accounts.map { rfc3339($0.time) })),
            ("accepted", page.accounts.map { "\($0.accepted)" } ?? "null"),
            ("sinks", sinkJSON),
            ("categories", "[\(categories.joined(separator: ", "))]"),
        ]
        return object(members)
    }
}

extension ControlState.Turn {
    /// For how long.
    fileprivate var timeLeft: String {
        guard let end else { return "until it is reset" }
        let now = cwinnow_clock_realtime()
        guard end > now else { return "until the next call, as its time is over" }
        return "for \((end - now) / 1_000_000_000) s more"
    }
}

extension ControlPage {
    fileprivate var defaultLevels: String { categories.first?.levels.description ?? "unknown" }

    fileprivate var since: String { rfc3339(began) }
}

/// A time as RFC 3339 writes it, from nanoseconds since 1970.
func rfc3339(_ time: UInt64) -> String {
    var buffer = ByteBuffer()
    buffer.append(rfc3339: time)
    return buffer.withBytes { bytes in
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}

/// A JSON string; `null` for none.
func jsonString(_ text: String?) -> String { text.map { "\"\($0.escaped(.json))\"" } ?? "null" }

/// A JSON object, whose values are JSON already.
func object(_ members: [(name: String, value: String)]) -> String {
    "{\(members.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
}

/// Columns that are as wide as what stands in them.
func table(_ rows: [[String]]) -> String {
    let widths = (rows.first ?? []).indices.map { column in
        rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
        let cells = zip(row, widths).dropLast().map { text, width in
            text + String(repeating: " ", count: width - text.count + 2)
        }
        return cells.joined() + (row.last ?? "") + "\n"
    }
    .joined()
}

/// A number of eight hexadecimal digits, such as the identity of a run.
func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
