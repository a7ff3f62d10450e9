// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
package import WinnowCore
internal import WinnowFormatters

extension LogItem {
    private static let decoder = JSONDecoder()

    /// Reads a line that `JSONFormatter` may have written, without its line feed.
    package init(line: ArraySlice<UInt8>) {
        do {
            let members = try Self.decoder.decode(RecordMembers.self, from: Data(line))
            self = members.item(fingerprint: line.hashValue)
        } catch DecodingError.dataCorrupted where Self.isPart(line) {
            self = .torn
        } catch {
            // Whatever is wrong with it: no formatter of Winnow has written it.
            self = .foreign
        }
    }

    /// What every record begins with, and what the number behind which it ends is called.
    private static let head = Array("{\"time\":\"".utf8)
    private static let tail = Array("\"level_sequence\":".utf8)

    /// Whether a line that is no record begins or ends as one does.
    private static func isPart(_ line: ArraySlice<UInt8>) -> Bool {
        guard !line.starts(with: head) else { return true }
        guard line.last == UInt8(ascii: "}") else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let name = line.dropLast().reversed().drop { digits.contains($0) }
        return name.starts(with: tail.reversed())
    }

    /// Whether a last line without an end may be the first bytes of a record.
    static func mayBegin(with line: ArraySlice<UInt8>) -> Bool {
        !line.isEmpty && head.starts(with: line)
    }

    /// Returns the record that a program wrote behind a torn one, in the same line; nil where there is
    /// none.
    ///
    /// No text within a record has the bytes that begin one: its quotation marks are escaped. Its
    /// fields have, where the first is called `time`: so what begins further in front is tried as well,
    /// as often as no line of such records needs, and a hostile one costs no more.
    package static func whole(behindTorn line: ArraySlice<UInt8>) -> LogItem? {
        let starts = line.indices.dropFirst().reversed().lazy.filter {
            line[$0] == head[0] && line[$0...].starts(with: head)
        }
        for start in starts.prefix(8) {
            let item = LogItem(line: line[start...])
            if case .record = item { return item }
        }
        return nil
    }
}

/// The members of a line that its verification needs.
private struct RecordMembers: Decodable {
    private enum CodingKeys: String, CodingKey {
        case time, level, thread, process, run, sequence, fields
        case levelSequence = "level_sequence"
    }

    let time: String
    let level: String
    let thread: Int64?
    let process: Int64
    let sequence: UInt64
    let levelSequence: UInt64?
    let run: String?
    let fields: ReportFields?

    func item(fingerprint: Int) -> LogItem {
        guard let time = CivilTime.microseconds(rfc3339: time),
            let level = Level.allCases.first(where: { "\($0)" == level })
        else { return .foreign }
        guard let run, run.utf8.count == 8, let identity = UInt32(run, radix: 16),
            let levelSequence, (sequence == 0) == (levelSequence == 0)
        else { return .unnumbered }
        var record = NumberedRecord(
            run: NumberedRecord.Run(identity: identity, processID: process),
            thread: thread ?? 0,
            level: level,
            time: time,
            sequence: sequence,
            levelSequence: levelSequence,
            fingerprint: fingerprint
        )
        // Only what has no number is a report: a program's own fields may have any name.
        if sequence == 0, let fields {
            record.lost = fields.lost
            record.diverted = fields.diverted
            record.excluded = fields.excluded
        }
        return .record(record)
    }
}

/// The counts among the fields of a line.
private struct ReportFields: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var lost: NumberedRecord.Claims = [:]
    var diverted: NumberedRecord.Claims = [:]
    var excluded: NumberedRecord.Claims = [:]

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Name.self)
        for name in fields.allKeys where name.stringValue.hasPrefix("winnow_") {
            // A program may have a field of such a name, with any value.
            guard let count = try? fields.decode(UInt64.self, forKey: name) else { continue }
            for level in Level.allCases {
                lost.take(name.stringValue, count, of: level, prefix: "winnow_lost")
                diverted.take(name.stringValue, count, of: level, prefix: "winnow_diverted")
                excluded.take(name.stringValue, count, of: level, prefix: "winnow_excluded")
            }
        }
    }
}

extension NumberedRecord.Claims {
    /// Takes a field of a report, if it is one of the three of the level.
    package mutating func take(_ name: String, _ number: UInt64, of level: Level, prefix: String) {
        let own = "\(prefix)_\(level)"
        guard name.hasPrefix(own) else { return }
        switch name.dropFirst(own.count) {
        case "": self[level, default: .init(0)].count = number
        case "_first": self[level, default: .init(0)].first = number
        case "_last": self[level, default: .init(0)].last = number
        default: break
        }
    }
}
