// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// The laws of a formatter, against records of random bytes.
struct HostileRecordTests {
    /// The number of records that each formatter gets.
    private let recordCount = 3_000

    @Test func `text is one line without control characters`() throws {
        try forEachRecord(seed: 1) { record, _ in
            expectOneLine(bytes(of: record, by: TextFormatter(location: true)))
        }
    }

    @Test func `text in colour has no command but its own`() throws {
        try forEachRecord(seed: 2) { record, _ in
            let line = bytes(of: record, by: TextFormatter(time: .none, color: true))
            var plain = String(decoding: line, as: UTF8.self)
            for own in ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[2m"] {
                plain = plain.replacingOccurrences(of: own, with: "")
            }
            expectOneLine(Array(plain.utf8))
        }
    }

    @Test func `text for the journal is one line that begins with its level`() throws {
        try forEachRecord(seed: 3) { record, _ in
            let line = bytes(of: record, by: TextFormatter(levelPrefix: true))
            #expect(line.starts(with: Array("<5>notice  ".utf8)))
            expectOneLine(line)
        }
    }

    @Test func `logfmt is one line without control characters`() throws {
        try forEachRecord(seed: 4) { record, _ in
            expectOneLine(bytes(of: record, by: LogfmtFormatter()))
        }
    }

    @Test func `local syslog is one message without control characters`() throws {
        let formatter = LocalSyslogFormatter(identifier: "a\nb")
        try forEachRecord(seed: 5) { record, _ in
            expectOneLine(bytes(of: record, by: formatter) + [0x0A])
        }
    }

    @Test func `JSON is one line that a parser turns back`() throws {
        try forEachRecord(seed: 6) { record, expected in
            let line = bytes(of: record, by: JSONFormatter())
            expectOneLine(line)
            let parsed = try JSONSerialization.jsonObject(with: Data(line))
            let object = try #require(parsed as? [String: Any])
            let message = try #require(object["message"] as? String)
            #expect(Array(message.utf8) == Array(String(decoding: expected, as: UTF8.self).utf8))
            let fields = object["fields"] as? [String: Any] ?? [:]
            #expect(fields.count == record.fieldCount)
        }
    }

    /// Expects bytes that are UTF-8, and hold a control character only at their end: a line feed.
    private func expectOneLine(_ line: [UInt8]) {
        guard let text = String(validating: line, as: UTF8.self) else {
            Issue.record("not UTF-8: \(line)")
            return
        }
        #expect(line.last == 0x0A)
        let harmful = text.unicodeScalars.dropLast().filter { scalar in
            scalar.properties.generalCategory == .control
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator
                || scalar.properties.isBidiControl
        }
        #expect(harmful.isEmpty)
    }

    /// Makes records, and calls the body with each and the bytes of its message.
    private func forEachRecord(
        seed: UInt64,
        _ body: (borrowing Record, [UInt8]) throws -> Void
    ) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<recordCount {
            let message = hostileBytes(using: &generator)
            // Names are texts of the program, so they are UTF-8, but may be anything else.
            let fields = (0..<Int.random(in: 0...3, using: &generator)).map { index in
                let text = String(decoding: hostileBytes(using: &generator), as: UTF8.self)
                return (name: Array("\(index)\(text)".utf8), value: hostileBytes(using: &generator))
            }
            let outcome = withRecord(messageBytes: message, fields: fields, category: "fuzz") {
                record in
                Result { try body(record, message) }
            }
            try outcome.get()
        }
    }

    /// Random bytes, of which many are what a formatter must look at.
    private func hostileBytes(using generator: inout SeededGenerator) -> [UInt8] {
        let pieces: [String] = [
            "\n<0>forged", "x\nPRIORITY=0", "\u{1B}[31m", "\u{202E}", "\u{2028}", "\u{85}", "\0",
            "\"", "\\", "=", " ", "plain text", "größe", "日本", "👩‍👩‍👧", "\r\n", "\u{7F}", "},{",
        ]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            switch UInt8.random(in: 0...3, using: &generator) {
            case 0: bytes += pieces.randomElement(using: &generator)?.utf8.map { $0 } ?? []
            case 1: bytes.append(UInt8.random(in: 0...255, using: &generator))
            case 2: bytes.append(UInt8.random(in: 0x80...255, using: &generator))
            default: bytes.append(UInt8.random(in: 0x20...0x7E, using: &generator))
            }
        }
        return bytes
    }
}
