// SPDX-License-Identifier: Apache-2.0

/// The header of a program or shared library for a machine on which Winnow keeps a table.
///
/// Source: elf(5).
struct ELFHeader {
    static let size = 64

    let programHeaders: UInt64
    let programHeaderSize: UInt16
    let programHeaderCount: UInt16
    let sectionHeaders: UInt64
    let sectionHeaderSize: UInt16
    let sectionHeaderCount: UInt16
    let sectionNamesIndex: UInt16

    /// Reads the header, and throws for every kind of file that is no such program.
    init(_ source: some ByteSource) throws(InspectionProblem) {
        let count = Int(min(source.size, UInt64(Self.size)))
        let bytes = try source.read(at: 0, count: count)
        try Self.checkMagic(bytes)
        guard count == Self.size else { throw .truncated("the header") }
        try Self.checkFormat(bytes)
        try Self.checkType(bytes.integer(at: 16))
        programHeaders = bytes.integer(at: 32)
        sectionHeaders = bytes.integer(at: 40)
        programHeaderSize = bytes.integer(at: 54)
        programHeaderCount = bytes.integer(at: 56)
        sectionHeaderSize = bytes.integer(at: 58)
        sectionHeaderCount = bytes.integer(at: 60)
        sectionNamesIndex = bytes.integer(at: 62)
    }

    private static func checkMagic(_ bytes: [UInt8]) throws(InspectionProblem) {
        // ar(5); the second is one whose members lie elsewhere.
        for archive in ["!<arch>\n", "!<thin>\n"] where bytes.starts(with: archive.utf8) {
            throw InspectionProblem(
                .unsupported,
                "is a static library",
                "link it into a program, and give that"
            )
        }
        guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
            throw InspectionProblem(
                .notELF,
                bytes.isEmpty ? "is empty" : "is not an ELF file",
                "give the path of a program or shared library, such as .build/release/NAME"
            )
        }
    }

    private static func checkFormat(_ bytes: [UInt8]) throws(InspectionProblem) {
        let advice = "Winnow keeps a table of log statements on x86-64 and aarch64 only"
        guard bytes[4] == 2 else {
            throw InspectionProblem(.unsupported, "is not a 64-bit program", advice)
        }
        guard bytes[5] == 1 else {
            throw InspectionProblem(.unsupported, "is not a little-endian program", advice)
        }
        let machine: UInt16 = bytes.integer(at: 18)
        guard machine == 62 || machine == 183 else {
            throw InspectionProblem(
                .unsupported,
                "is a program for another machine (e_machine \(machine))",
                advice
            )
        }
    }

    private static func checkType(_ type: UInt16) throws(InspectionProblem) {
        switch type {
        case 2, 3:
            return
        case 1:
            throw InspectionProblem(
                .unsupported,
                "is an object file that is not linked",
                "link it first, and give the program"
            )
        case 4:
            throw InspectionProblem(
                .unsupported,
                "is a core file",
                "give the program that left it"
            )
        default:
            throw InspectionProblem(
                .unsupported,
                "is neither a program nor a shared library (e_type \(type))",
                "give the path of a program, such as .build/release/NAME"
            )
        }
    }
}
