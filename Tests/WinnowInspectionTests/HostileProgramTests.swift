// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowInspection

/// What a file says of its own size and contents costs neither memory nor time beyond those of its
/// bytes.
@Suite(.timeLimit(.minutes(30)))
struct HostileProgramTests {
    /// A file of 4 TiB that is a hole but for its begin, as truncate(1) makes one.
    private struct SparseFile: ByteSource {
        let begin: [UInt8]
        let size: UInt64 = 1 << 42

        func read(at offset: UInt64, count: Int) throws(InspectionProblem) -> [UInt8] {
            guard count <= 1 << 30 else {
                Issue.record("\(count) bytes are read at once")
                return []
            }
            let part = begin.dropFirst(Int(min(offset, UInt64(begin.count)))).prefix(count)
            return part + [UInt8](repeating: 0, count: count - part.count)
        }
    }

    /// Something of the image that is larger than it can be.
    enum Part: String, CaseIterable {
        case sectionHeaders = "the table of section headers"
        case sectionNames = "the names of sections"
        case programHeaders = "the table of program headers"
        case note = "the section .note.winnow"
        case table = "the section .winnow.statements"
    }

    /// An image with one statement, whose part is said to be of 1 or 2 TiB, or one header too large.
    private func image(oversized part: Part) -> [UInt8] {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["text"])
        var bytes = image.bytes
        let huge = ProgramImage.little(UInt64(1) << 41)
        let headers = Int(bytes.sectionHeaders)
        switch part {
        case .sectionHeaders:
            // elf(5), e_shnum: 0 says that the number is the size of the first section.
            bytes.replace(at: 60, by: [0, 0])
            bytes.replace(at: headers + 32, by: ProgramImage.little(UInt64(1) << 34))
        case .sectionNames: bytes.replace(at: headers + 64 * 5 + 32, by: huge)
        case .programHeaders: bytes.replace(at: 56, by: ProgramImage.little(UInt16(1_171)))
        case .note: bytes.replace(at: headers + 64 * 3 + 32, by: huge)
        case .table: bytes.replace(at: headers + 64 * 4 + 32, by: huge)
        }
        return bytes
    }

    @Test(arguments: Part.allCases)
    func `a part of a sparse file that no program has so large is damage`(part: Part) {
        let problem = #expect(throws: InspectionProblem.self) {
            try StatementTable(SparseFile(begin: image(oversized: part)))
        }
        #expect(problem?.code == .damaged)
        #expect(problem?.text.hasPrefix("\(part.rawValue) is larger than that of any") == true)
    }

    @Test func `sections that all have one long name are read as fast as others`() throws {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["text"])
        let long = String(repeating: "x", count: 1 << 20)
        image.more = [.init(name: long, kind: 1, bytes: [])]
        image.more += (0..<8_000).map { _ in .init(name: "", kind: 1, bytes: []) }
        var bytes = image.bytes
        let headers = Int(bytes.sectionHeaders)
        let name = Array(bytes[headers + 64 * 5..<headers + 64 * 5 + 4])
        for index in 6..<8_006 { bytes.replace(at: headers + 64 * index, by: name) }
        let start = ContinuousClock.now
        let table = try StatementTable(bytes)
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(table.statements.map(\.texts) == [["text"]])
    }

    @Test func `a name of 255 bytes is that of a section, a longer one none`() throws {
        for (count, isNamed) in [(255, true), (256, false)] {
            var image = ProgramImage()
            image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["text"])
            let name = String(repeating: "x", count: count)
            image.more = [.init(name: name, kind: 7, bytes: [])]
            var bytes = image.bytes
            let size = Int(bytes.sectionHeaders) + 64 * 5 + 32
            bytes.replace(at: size, by: ProgramImage.little(UInt64(1) << 41))
            let problem = #expect(throws: InspectionProblem.self) { try StatementTable(bytes) }
            #expect(problem?.text.hasPrefix("the section \(isNamed ? name : "") reaches") == true)
        }
    }

    @Test func `tables that lie in one place are damage`() {
        var image = ProgramImage()
        for line in 1...100 { image.addStatement(at: 0x1000, line: UInt32(line), level: 3) }
        image.more = (0..<200).map { _ in .init(name: ".winnow.statements", kind: 1, bytes: []) }
        var bytes = image.bytes
        let headers = Int(bytes.sectionHeaders)
        let table = Array(bytes[headers + 64 * 4 + 16..<headers + 64 * 4 + 40])
        for index in 5..<205 { bytes.replace(at: headers + 64 * index + 16, by: table) }
        let problem = #expect(throws: InspectionProblem.self) { try StatementTable(bytes) }
        #expect(problem?.text.contains("it is larger than the program") == true)
    }

    @Test func `file names that lie within each other are damage`() {
        var image = ProgramImage()
        let file = image.add(String(repeating: "x", count: 4_000), terminated: true)
        for index in 0..<200 as Range<UInt64> {
            image.records.append(
                .init(kind: 1, code: 0x1000 + index, text: file + index, number: 1, level: 3)
            )
        }
        let problem = #expect(throws: InspectionProblem.self) { try StatementTable(image.bytes) }
        #expect(problem?.text.contains("texts larger than the program") == true)
    }

    @Test func `ends and begins that do not match are told apart in the time of their number`()
        throws
    {
        var image = ProgramImage()
        let count = 40_000 as UInt64
        for index in 0..<count {
            image.records.append(.init(kind: 3, code: 0x1000 + index % 0x800))
            image.records.append(.init(kind: 1, code: 0x1800 + index % 0x800, number: 1, level: 3))
        }
        let start = ContinuousClock.now
        let table = try StatementTable(image.bytes)
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(table.statements.isEmpty == false)
    }

    /// An image with statements of which only the function is known, and that has the symbol.
    private func image(count: UInt64, symbol: String) -> ProgramImage {
        var image = ProgramImage()
        for index in 0..<count { image.addStatement(at: 0x1000 + index * 16, line: 0, level: 3) }
        let entry =
            ProgramImage.little(UInt32(1)) + [2, 0] + ProgramImage.little(UInt16(1))
            + ProgramImage.little(UInt64(0x1000)) + ProgramImage.little(UInt64(0x1000))
        image.more = [
            .init(name: ".symtab", kind: 2, link: 6, bytes: entry),
            .init(name: ".strtab", kind: 3, bytes: Array("\0\(symbol)\0".utf8)),
        ]
        return image
    }

    @Test(
        arguments: [
            ("$s3App6secret33_0123456789ABCDEF0123456789ABCDEFLLyyF", "App.secret"),
            (String(repeating: "x", count: 4_096), String(repeating: "x", count: 4_096)),
            (String(repeating: "x", count: 4_097), nil),
        ] as [(String, String?)]
    )
    func `a function has its name, unless that is longer than any`(
        symbol: String,
        name: String?
    ) throws {
        let table = try StatementTable(image(count: 1, symbol: symbol).bytes)
        #expect(table.statements.map(\.function) == [name])
    }

    @Test func `a function whose name is all parentheses takes the time of another one`() throws {
        let symbol = String(repeating: ".(", count: 2_000)
        let start = ContinuousClock.now
        let table = try StatementTable(image(count: 200, symbol: symbol).bytes)
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(table.statements.first?.function == symbol)
    }
}

extension [UInt8] {
    /// Where the section headers of a program are: elf(5), e_shoff.
    fileprivate var sectionHeaders: UInt64 {
        self[40..<48].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    fileprivate mutating func replace(at offset: Int, by bytes: [UInt8]) {
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}
