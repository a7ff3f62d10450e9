// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowInspection

struct ExpectationTests {
    private static let error: Int8 = 3
    private static let notice: Int8 = 5
    private static let unknown: Int8 = 127

    /// The last line about a program with one statement for each level and floor.
    private func lastLine(_ levels: [(level: Int8, floor: Int8)], expect: String) throws -> String {
        var image = ProgramImage()
        for (index, entry) in levels.enumerated() {
            image.addStatement(
                at: 0x1000 + UInt64(index) * 0x40,
                line: UInt32(index + 1),
                level: entry.level,
                floor: entry.floor
            )
        }
        return try lastLine(image, expect: expect)
    }

    private func lastLine(_ image: ProgramImage, expect: String) throws -> String {
        let expectation = try #require(Expectation(parsing: expect))
        let table = try StatementTable(image.bytes)
        let text = StatementReport(program: "app", table: table, expectation: expectation).text
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test(arguments: [
        ("notice", "expected nothing below notice: holds"),
        ("5", "expected nothing below notice: holds"),
        ("debug", "expected nothing below debug: holds"),
        ("warning", "expected nothing below warning: FAILS: 2 statements below warning"),
        ("err", "expected nothing below error: FAILS: 2 statements below error"),
        ("crit", "expected nothing below critical: FAILS: 3 statements below critical"),
        ("none", "expected no statement: FAILS: 3 statements"),
    ])
    func `a statement that is less severe than expected fails`(word: String, line: String) throws {
        let levels = [(Self.error, Self.notice), (Self.notice, Self.notice), (Self.notice, 5)]
        #expect(try lastLine(levels, expect: word) == line)
    }

    @Test
    func `a level of run time is held to by its floor`() throws {
        let levels = [(Self.unknown, Self.notice)]
        #expect(try lastLine(levels, expect: "notice") == "expected nothing below notice: holds")
        #expect(
            try lastLine(levels, expect: "error")
                == "expected nothing below error: FAILS: 1 statement below error"
        )
    }

    @Test
    func `without optimization it cannot be told`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 0, level: 127, floor: 127)
        image.records[0].text = nil
        #expect(
            try lastLine(image, expect: "notice")
                == "expected nothing below notice: CANNOT TELL: the level of 1 statement is unknown "
                + "without optimization; check a release build (swift build -c release)"
        )
        #expect(try lastLine(image, expect: "debug") == "expected nothing below debug: holds")
        #expect(try lastLine(image, expect: "none") == "expected no statement: FAILS: 1 statement")
        image.addStatement(at: 0x1100, line: 5, level: 6)
        #expect(
            try lastLine(image, expect: "notice")
                == "expected nothing below notice: FAILS: 1 statement below notice"
        )
    }

    @Test
    func `no statement is nothing below any level`() throws {
        for word in ["emergency", "debug", "none"] {
            #expect(try lastLine([], expect: word).hasSuffix(": holds"))
        }
    }

    @Test
    func `a word that is no level is none, and the nearest one is suggested`() {
        #expect(Expectation(parsing: "noitce") == nil)
        #expect(Expectation.suggestion(for: "noitce") == "notice")
        #expect(Expectation.suggestion(for: "nonne") == "none")
        #expect(Expectation(parsing: "None") == Expectation(nil))
        #expect(Expectation(parsing: "Warning") == Expectation(.warning))
    }

    @Test
    func `the JSON has every key in one order, and texts that are whole`() throws {
        var image = ProgramImage()
        let long = String(repeating: "x", count: 150)
        image.addStatement(at: 0x1000, line: 7, level: 3, texts: ["a\n\"", long])
        image.addStatement(at: 0x1100, line: 8, level: 127)
        image.addText("outside", at: 0x1200)
        let report = StatementReport(
            program: "a \"b\"",
            table: try StatementTable(image.bytes),
            expectation: Expectation(.critical)
        )
        #expect(
            report.json == #"""
                {
                  "program": "a \"b\"",
                  "libraries": [],
                  "statements": [
                    {"level": "error", "atMost": "error", "module": "App", "file": "main.swift", \#
                "line": 7, "function": null, "address": "0x1000", "texts": ["a\n\"", "\#(long)"], \#
                "copies": 1, "optimized": true},
                    {"level": null, "atMost": "notice", "module": "App", "file": "main.swift", \#
                "line": 8, "function": null, "address": "0x1100", "texts": [], \#
                "copies": 1, "optimized": true}
                  ],
                  "looseTexts": [
                    "outside"
                  ],
                  "count": 2,
                  "leastSevere": "notice",
                  "expected": {"level": "critical", "holds": false, \#
                "reason": "2 statements below critical"}
                }

                """#
        )
    }
}
