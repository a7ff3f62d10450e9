// SPDX-License-Identifier: Apache-2.0

/// A small ELF program, made by hand: the parts that the tool reads, and nothing that could run.
///
/// Source: elf(5).
struct ProgramImage {
    /// A record of the table, with addresses of the program.
    struct Record {
        var kind: UInt8
        var code: UInt64
        /// Nil where it is unknown.
        var text: UInt64?
        var number: UInt32 = 0
        var level: Int8 = 127
        var floor: Int8 = 127
    }

    /// A section as it stands in the file, and in the program where it has an address.
    struct Section {
        var name: String
        var kind: UInt32
        var address: UInt64 = 0
        var link: UInt32 = 0
        var bytes: [UInt8]
    }

    /// Where the code is said to be: `0x1000` to `0x2000`.
    static let code: UInt64 = 0x1000
    /// Where the texts are.
    static let texts: UInt64 = 0x3000
    /// Where the table is.
    static let table: UInt64 = 0x4000

    var type: UInt16 = 3
    var machine: UInt16 = 62
    var version: UInt32? = 1
    var records: [Record] = []
    var sectionsAreStripped = false
    /// The sections that are not made from what stands above.
    var more: [Section] = []
    var hasTable = true

    var literals: [UInt8] = []

    /// Adds a text, and returns its address.
    mutating func add(_ text: String, terminated: Bool = false) -> UInt64 {
        let address = Self.texts + UInt64(literals.count)
        literals += Array(text.utf8) + (terminated ? [0] : [])
        return address
    }

    /// Adds the records of a statement, eight bytes of code each, and returns where the next goes.
    @discardableResult
    mutating func addStatement(
        at code: UInt64,
        file: String = "App/main.swift",
        line: UInt32,
        level: Int8,
        floor: Int8 = 5,
        texts: [String] = []
    ) -> UInt64 {
        var next = code
        let file = add(file, terminated: true)
        records.append(
            Record(kind: 1, code: next, text: file, number: line, level: level, floor: floor)
        )
        for text in texts {
            next += 8
            addText(text, at: next)
        }
        records.append(Record(kind: 3, code: next + 8))
        return next + 16
    }

    mutating func addText(_ text: String, at code: UInt64) {
        let address = add(text)
        records.append(
            Record(kind: 2, code: code, text: address, number: UInt32(text.utf8.count))
        )
    }
}

extension ProgramImage {
    /// The bytes of the table.
    var table: [UInt8] {
        var bytes: [UInt8] = []
        for record in records {
            let address = Self.table + UInt64(bytes.count)
            bytes += Self.little(UInt32(truncatingIfNeeded: record.code &- address))
            let text = record.text.map { $0 &- (address + 4) } ?? 0
            bytes += Self.little(UInt32(truncatingIfNeeded: text))
            bytes += Self.little(record.number)
            bytes += [record.kind, UInt8(bitPattern: record.level)]
            bytes += [UInt8(bitPattern: record.floor), 0]
        }
        return bytes
    }

    private var note: [UInt8] {
        guard let version else { return [] }
        return Self.little(UInt32(7)) + Self.little(UInt32(4)) + Self.little(UInt32(1))
            + Array("Winnow\0\0".utf8) + Self.little(version)
    }

    private var sections: [Section] {
        var sections = [
            Section(name: "", kind: 0, bytes: []),
            Section(
                name: ".text",
                kind: 1,
                address: Self.code,
                bytes: [UInt8](repeating: 0xC3, count: 0x1000)
            ),
            Section(name: ".rodata", kind: 1, address: Self.texts, bytes: literals),
        ]
        if version != nil { sections.append(Section(name: ".note.winnow", kind: 7, bytes: note)) }
        if hasTable {
            sections.append(
                Section(name: ".winnow.statements", kind: 1, address: Self.table, bytes: table)
            )
        }
        return sections + more
    }

    /// The file: header, program headers, contents, section headers.
    var bytes: [UInt8] {
        let all = sections
        var names: [UInt8] = []
        var contents: [UInt8] = []
        var headers: [UInt8] = []
        var segments: [UInt8] = []
        // One segment for each section that is loaded or a note; room for them comes first.
        let loaded = all.filter { $0.address != 0 || $0.kind == 7 }.count
        let start = 64 + 56 * loaded
        for section in all {
            let offset = UInt64(start + contents.count)
            let size = UInt64(section.bytes.count)
            headers += Self.little(UInt32(names.count)) + Self.little(section.kind)
            headers += Self.little(UInt64(2)) + Self.little(section.address)
            headers += Self.little(offset) + Self.little(size)
            headers += Self.little(section.link) + Self.little(UInt32(0))
            headers += Self.little(UInt64(1)) + Self.little(UInt64(0))
            if section.address != 0 || section.kind == 7 {
                segments += Self.little(UInt32(section.kind == 7 ? 4 : 1)) + Self.little(UInt32(4))
                segments += Self.little(offset) + Self.little(section.address)
                segments += Self.little(section.address) + Self.little(size)
                segments += Self.little(size) + Self.little(UInt64(1))
            }
            names += Array(section.name.utf8) + [0]
            contents += section.bytes
        }
        let namesOffset = start + contents.count
        headers += Self.little(UInt32(0)) + Self.little(UInt32(3)) + Self.little(UInt64(0))
        headers += Self.little(UInt64(0)) + Self.little(UInt64(namesOffset))
        headers += Self.little(UInt64(names.count)) + Self.little(UInt64(0))
        headers += Self.little(UInt64(1)) + Self.little(UInt64(0))
        let header = header(
            segmentCount: loaded,
            sections: sectionsAreStripped ? 0 : namesOffset + names.count,
            sectionCount: sectionsAreStripped ? 0 : all.count + 1
        )
        return header + segments + contents + names + (sectionsAreStripped ? [] : headers)
    }

    private func header(segmentCount: Int, sections: Int, sectionCount: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        bytes += Self.little(type) + Self.little(machine) + Self.little(UInt32(1))
        bytes += Self.little(UInt64(0)) + Self.little(UInt64(64)) + Self.little(UInt64(sections))
        bytes += Self.little(UInt32(0)) + Self.little(UInt16(64)) + Self.little(UInt16(56))
        bytes += Self.little(UInt16(segmentCount)) + Self.little(UInt16(64))
        bytes += Self.little(UInt16(sectionCount))
        bytes += Self.little(UInt16(sectionCount == 0 ? 0 : sectionCount - 1))
        return bytes
    }

    static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
