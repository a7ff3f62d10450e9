// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowInspection

struct StatementTableTests {
    private func report(_ image: ProgramImage) throws -> [String] {
        let table = try StatementTable(image.bytes)
        return StatementReport(program: "app", table: table).text
            .split(separator: "\n").map(String.init)
    }

    @Test
    func `statements are listed by level, module, file and line`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 9, level: 5, texts: ["b"])
        image.addStatement(at: 0x1100, line: 10, level: 3, texts: ["d"])
        image.addStatement(at: 0x1200, file: "Net/a.swift", line: 1, level: 3, texts: ["e"])
        image.addStatement(at: 0x1300, line: 2, level: 3, texts: ["c"])
        #expect(
            try report(image) == [
                "error   App/main.swift:2   \"c\"",
                "error   App/main.swift:10  \"d\"",
                "error   Net/a.swift:1      \"e\"",
                "notice  App/main.swift:9   \"b\"",
                "4 statements: 3 error, 1 notice; the least severe is notice",
            ]
        )
    }

    @Test
    func `the order of the records in the table does not matter`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["one ", " two"])
        image.addStatement(at: 0x1100, line: 2, level: 3, texts: ["three"])
        image.records.reverse()
        #expect(
            try report(image).prefix(2) == [
                #"error  App/main.swift:1  "one \(…) two""#,
                #"error  App/main.swift:2  "three""#,
            ]
        )
    }

    @Test
    func `records of one address keep the order of the table`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["text"])
        for index in image.records.indices { image.records[index].code = 0x1000 }
        #expect(try report(image).first == #"error  App/main.swift:1  "text""#)
    }

    @Test
    func `copies are listed once, with their number`() throws {
        var image = ProgramImage()
        for copy in 0..<3 as Range<UInt64> {
            image.addStatement(at: 0x1000 + copy * 0x100, line: 1, level: 4, texts: ["x"])
        }
        image.addStatement(at: 0x1800, line: 1, level: 4, texts: ["y"])
        #expect(
            try report(image) == [
                #"warning  App/main.swift:1  "x"  (3 copies)"#,
                #"warning  App/main.swift:1  "y""#,
                "2 statements: 2 warning; the least severe is warning",
            ]
        )
    }

    @Test
    func `a text between statements belongs to none and is listed apart`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["inside"])
        image.addText("outside", at: 0x1080)
        image.addStatement(at: 0x1100, line: 2, level: 3, texts: ["in the other"])
        #expect(
            try report(image) == [
                #"error  App/main.swift:1  "inside""#,
                #"error  App/main.swift:2  "in the other""#,
                "literals of messages that are made outside of a statement:",
                #"  "outside""#,
                "2 statements: 2 error; the least severe is error",
            ]
        )
    }

    @Test
    func `a statement within the message of another one keeps its own texts`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["outer ", " end"])
        // Between the two texts of the outer one, at 0x1008 and 0x1010.
        image.addStatement(at: 0x1009, line: 2, level: 3)
        let inner = image.add("inner")
        image.records[4].code = 0x1009
        image.records[5].code = 0x100B
        image.records.append(.init(kind: 2, code: 0x100A, text: inner, number: 5))
        #expect(
            try report(image).prefix(2) == [
                #"error  App/main.swift:1  "outer \(…) end""#,
                #"error  App/main.swift:2  "inner""#,
            ]
        )
    }

    @Test
    func `of loops that the optimizer turned around each has its own text`() throws {
        var image = ProgramImage()
        for (start, line, text) in [(0x1000, 1, "one"), (0x1100, 2, "two"), (0x1200, 3, "three")]
            as [(UInt64, UInt32, String)]
        {
            image.addStatement(at: start, line: line, level: 3, texts: [text])
            // The begin comes behind the end.
            image.records[image.records.count - 3].code = start + 0x80
        }
        #expect(
            try report(image).prefix(3) == [
                #"error  App/main.swift:1  "one""#,
                #"error  App/main.swift:2  "two""#,
                #"error  App/main.swift:3  "three""#,
            ]
        )
    }

    @Test
    func `a begin without an end takes no text of the next function`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["one"])
        image.records[0].code = 0x1080
        image.addStatement(at: 0x1100, line: 2, level: 3, texts: ["two"])
        image.records[3].code = 0x1180
        // Version 1, and the encodings of GNU ld: two functions.
        let index: [UInt8] = [1, 0x1B, 0x03, 0x3B, 0, 0, 0, 0, 2, 0, 0, 0]
        let offsets = [-0x4000, -0x3F00].flatMap {
            ProgramImage.little(Int32($0)) + ProgramImage.little(Int32(0))
        }
        image.more = [
            .init(name: ".eh_frame_hdr", kind: 1, address: 0x5000, bytes: index + offsets)
        ]
        #expect(
            try report(image).prefix(2) == [
                #"error  App/main.swift:1  "one""#,
                #"error  App/main.swift:2  "two""#,
            ]
        )
    }

    @Test
    func `a level of run time is bounded by the floor of the module`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 127, floor: 5, texts: ["x"])
        image.addStatement(at: 0x1100, line: 2, level: 5, floor: 5, texts: ["y"])
        image.addStatement(at: 0x1200, line: 3, level: 127, floor: 7)
        #expect(
            try report(image) == [
                #"notice        App/main.swift:2  "y""#,
                #"up to notice  App/main.swift:1  "x""#,
                #"up to debug   App/main.swift:3  "\(…)""#,
                "3 statements: 1 notice, 1 up to notice, 1 up to debug; the least severe is debug",
            ]
        )
    }

    @Test
    func `of an unknown place the function is named, or else the address`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["in a wrapper"])
        image.records[0].text = nil
        image.records[0].number = 0
        #expect(try report(image).first == #"error  at 0x1000  "in a wrapper""#)

        let symbol =
            ProgramImage.little(UInt32(1)) + [2, 0] + ProgramImage.little(UInt16(1))
            + ProgramImage.little(UInt64(0x1000)) + ProgramImage.little(UInt64(0x100))
        // Section 5 is this one, and 6 the next.
        image.more = [
            .init(name: ".symtab", kind: 2, link: 6, bytes: symbol),
            .init(name: ".strtab", kind: 3, bytes: Array("\0$s3App4note4textySS_tF\0".utf8)),
        ]
        #expect(try report(image).first == #"error  in App.note  "in a wrapper""#)
    }

    @Test
    func `control characters are escaped, and a long text is cut`() throws {
        var image = ProgramImage()
        let long = String(repeating: "x", count: 150)
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["a\n\u{1B}[0m\"", long])
        let line = try #require(try report(image).first)
        #expect(line == #"error  App/main.swift:1  "a\n\u{1b}[0m\"\(…)"# + long.prefix(93) + "\"…")
    }

    @Test
    func `a literal that cannot be found is said to be unknown`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["lost", " found"])
        // What the linker makes of a name that the assembler could not resolve.
        image.records[1].text = 0
        #expect(
            try report(image).first == #"error  App/main.swift:1  "<unknown literal>\(…) found""#
        )
        var single = ProgramImage()
        single.addStatement(at: 0x1000, line: 1, level: 3, texts: ["lost"])
        single.records[1].text = 0
        #expect(try report(single).first == "error  App/main.swift:1  <unknown literal>")
    }

    @Test
    func `a program with the note and no table holds no statement`() throws {
        let image = ProgramImage(hasTable: false)
        #expect(try report(image) == ["app holds no log statement"])
    }

    @Test
    func `a table without the note is read: the note is in a library then`() throws {
        var image = ProgramImage(version: nil)
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["x"])
        #expect(try report(image).count == 2)
    }

    @Test
    func `tables of several sections are one`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["x"])
        // The same bytes 1 KiB further on mean code and texts that are 1 KiB further on.
        let copy = ProgramImage.Section(
            name: ".winnow.statements",
            kind: 1,
            address: ProgramImage.table + 0x400,
            bytes: image.table
        )
        let gap = [UInt8](repeating: 0, count: 0x400 - image.literals.count)
        image.literals += gap + image.literals
        image.more = [copy]
        #expect(try report(image).first == #"error  App/main.swift:1  "x"  (2 copies)"#)
    }
}
