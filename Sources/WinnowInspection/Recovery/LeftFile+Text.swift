// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters
package import WinnowRecovery

extension RecordedSight.State {
    /// Why nobody can say what is in a file, as words that follow its name; nil where somebody can.
    package var problem: String? {
        switch self {
        case .dead, .inUse: nil
        case .halfMade: "is half-made: its process has not logged yet, or died before it had"
        case .foreign(let user): "belongs to user \(user): only that user recovers it"
        case .irregular: "is no regular file"
        case .alien: "is no file of a recorder, or its beginning is damaged"
        case .otherVersion(let version):
            "has the layout \(version), which this version of winnow does not know"
        case .truncated: "is truncated: it ends in front of the first record"
        case .oversized: "is larger than the file of any recorder"
        case .gone: "has been removed meanwhile"
        case .failed(let error): "cannot be read: \(systemErrorText(error))"
        }
    }

    /// What it is called in a list.
    fileprivate var word: String {
        switch self {
        case .dead: "dead"
        case .inUse: "in use"
        case .halfMade: "half-made"
        case .foreign: "foreign"
        default: "unreadable"
        }
    }
}

/// The list for people.
extension [LeftFile] {
    /// A line for each file that can be read, with a head; a sentence where there is none.
    package var text: String {
        let rows = compactMap(\.row)
        guard !rows.isEmpty else { return "there is no file of a recorder that can be read\n" }
        let head = ["PID", "IDENTIFIER", "SINCE", "STATE", "SIZE", "DAMAGED", "LEFT"]
        return table([head] + rows)
    }

    /// A JSON array with an object for each file, whose keys always come in the same order.
    package var json: String {
        isEmpty ? "[]\n" : "[\n  \(map(\.json).joined(separator: ",\n  "))\n]\n"
    }
}

extension LeftFile {
    fileprivate var row: [String]? {
        guard let maker else { return nil }
        return [
            "\(maker.processID)", maker.identifier.escaped(.line), rfc3339(maker.began),
            state.word, "\(byteCount)",
            account.map { "\($0.damagedByteCount)" } ?? "unknown", account?.text ?? "unknown",
        ]
    }

    fileprivate var json: String {
        let sinks = account.map { account in
            account.sinks.map { name, count in
                object([("name", jsonString(name)), ("records", "\(count)")])
            }
            .joined(separator: ", ")
        }
        func number<Number: FixedWidthInteger>(_ value: Number?) -> String {
            value.map { "\($0)" } ?? "null"
        }
        return object([
            ("file", jsonString(name)),
            ("state", jsonString(state.word)),
            ("problem", jsonString(problem)),
            ("pid", number(maker?.processID)),
            ("identifier", jsonString(maker?.identifier)),
            ("run", jsonString(maker?.run.map(hexadecimal))),
            ("since", jsonString((maker?.began).map(rfc3339))),
            ("bytes", "\(byteCount)"),
            ("damaged_bytes", number(account?.damagedByteCount)),
            ("sinks", sinks.map { "[\($0)]" } ?? "null"),
            ("in_rings", number(account?.ringCount)),
            ("in_doubt", number(account?.doubtCount)),
            ("lost", number(account?.lostCount)),
            ("partly_recovered", account.map { "\($0.isPartlyRecovered)" } ?? "null"),
        ])
    }
}

extension LeftFile.Account {
    /// What is left, in words.
    fileprivate var text: String {
        var parts = sinks.map { "\($0.count) for \($0.name.escaped(.line))" }
        if ringCount > 0 { parts.append("\(ringCount) in rings") }
        if doubtCount > 0 { parts.append("\(doubtCount) in doubt") }
        if lostCount > 0 { parts.append("\(lostCount) lost") }
        let text = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
        return isPartlyRecovered ? "\(text) (some of it recovered)" : text
    }
}
