// SPDX-License-Identifier: Apache-2.0

/// The bytes of a table of section headers that are read at most: 262 144 of them.
private let greatestSectionHeaders: UInt64 = 16 << 20

/// The bytes of a table of program headers that are read at most, of 1 170 of them.
///
/// The kernel runs no program with more: Linux, load_elf_phdrs(). Each address of a program is
/// looked up in all of them.
private let greatestProgramHeaders: UInt64 = 65_536

/// A program or shared library: its sections, its segments, and bytes at its addresses.
///
/// Nothing in the file is believed: each offset and size is tested before it is followed.
///
/// Source: elf(5).
struct ELFImage<Source: ByteSource> {
    /// A part of the file that the linker has named.
    struct Section {
        /// The kinds of section that are told apart.
        enum Kind {
            static var symbols: UInt32 { 2 }
            static var dynamic: UInt32 { 6 }
            static var note: UInt32 { 7 }
            static var noBits: UInt32 { 8 }
            static var dynamicSymbols: UInt32 { 11 }
        }

        /// The bytes of a name that are read at most, far more than those of the names that are known.
        static var longestName: Int { 255 }

        /// Empty where it is longer.
        var name = ""
        let nameOffset: UInt32
        let kind: UInt32
        let address: UInt64
        let offset: UInt64
        let size: UInt64
        let link: UInt32
        let info: UInt32

        init(_ bytes: [UInt8], at start: Int) {
            nameOffset = bytes.integer(at: start)
            kind = bytes.integer(at: start + 4)
            address = bytes.integer(at: start + 16)
            offset = bytes.integer(at: start + 24)
            size = bytes.integer(at: start + 32)
            link = bytes.integer(at: start + 40)
            info = bytes.integer(at: start + 44)
        }
    }

    /// A part of the file that the kernel or the loader uses.
    struct Segment {
        let kind: UInt32
        let offset: UInt64
        let address: UInt64
        let fileSize: UInt64

        static var load: UInt32 { 1 }
        static var note: UInt32 { 4 }

        init(_ bytes: [UInt8], at start: Int) {
            kind = bytes.integer(at: start)
            offset = bytes.integer(at: start + 8)
            address = bytes.integer(at: start + 16)
            fileSize = bytes.integer(at: start + 32)
        }

        /// The offset in the file of an address; nil where the segment does not hold it.
        func offset(of address: UInt64) -> UInt64? {
            guard address >= self.address, address - self.address < fileSize else { return nil }
            let (result, overflow) = offset.addingReportingOverflow(address - self.address)
            return overflow ? nil : result
        }
    }

    let source: Source
    /// Empty where the section headers were removed.
    let sections: [Section]
    let segments: [Segment]

    /// Reads the headers of a program.
    init(_ source: Source) throws(InspectionProblem) {
        let header = try ELFHeader(source)
        self.source = source
        sections = try Self.sections(header, source)
        segments = try Self.segments(header, source, sections)
    }

    /// Returns the bytes of a section, none where it is not in the file.
    func bytes(of section: Section) throws(InspectionProblem) -> [UInt8] {
        guard section.kind != Section.Kind.noBits else { return [] }
        return try source.bytes(
            at: section.offset,
            count: section.size,
            of: "the section \(section.name)"
        )
    }

    /// The offset in the file of an address; nil where nothing of the file is loaded there.
    func offset(of address: UInt64) -> UInt64? {
        for segment in segments where segment.kind == Segment.load {
            if let offset = segment.offset(of: address) { return offset }
        }
        return nil
    }
}

extension ELFImage {
    private static func sections(
        _ header: ELFHeader,
        _ source: Source
    ) throws(InspectionProblem) -> [Section] {
        let start = header.sectionHeaders
        guard start != 0 else { return [] }
        guard header.sectionHeaderSize == 64 else { throw .truncated("a section header") }
        let table = "the table of section headers"
        // What does not fit into the header is in the first section header: elf(5), e_shnum.
        let first = Section(try source.bytes(at: start, count: 64, of: table), at: 0)
        let count =
            header.sectionHeaderCount == 0 ? first.size : UInt64(header.sectionHeaderCount)
        guard count <= source.size / 64 else { throw .truncated(table) }
        let bytes = try source.bytes(
            at: start,
            count: count * 64,
            of: table,
            limit: greatestSectionHeaders
        )
        var sections = (0..<Int(count)).map { Section(bytes, at: $0 * 64) }
        let index =
            header.sectionNamesIndex == 0xFFFF
            ? Int(first.link) : Int(header.sectionNamesIndex)
        guard sections.indices.contains(index) else { throw .truncated("the names of sections") }
        let names = try source.bytes(
            at: sections[index].offset,
            count: sections[index].size,
            of: "the names of sections"
        )
        for index in sections.indices {
            let offset = Int(sections[index].nameOffset)
            sections[index].name = names.text(at: offset, limit: Section.longestName) ?? ""
        }
        return sections
    }

    private static func segments(
        _ header: ELFHeader,
        _ source: Source,
        _ sections: [Section]
    ) throws(InspectionProblem) -> [Segment] {
        // elf(5), e_phnum: 0xFFFF says that the number is in the first section header.
        let count =
            header.programHeaderCount == 0xFFFF
            ? UInt64(sections.first?.info ?? 0xFFFF) : UInt64(header.programHeaderCount)
        guard count > 0 else { return [] }
        guard header.programHeaderSize == 56 else { throw .truncated("a program header") }
        let bytes = try source.bytes(
            at: header.programHeaders,
            count: count * 56,
            of: "the table of program headers",
            limit: greatestProgramHeaders
        )
        return (0..<Int(count)).map { Segment(bytes, at: $0 * 56) }
    }
}
