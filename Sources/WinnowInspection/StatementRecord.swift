// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A record of the table, with addresses of the program in the place of relative ones.
struct StatementRecord {
    /// What the record is.
    enum Kind: UInt8 {
        case begin = 1
        case text = 2
        case end = 3
    }

    /// Whether the compiler knew any operand, as it does of every statement that it optimizes.
    var isOptimized: Bool { floor != nil || level != nil || text != nil || number != 0 }

    /// The bytes of a record in the table.
    static let size = MemoryLayout<cwinnow_statement>.size

    let kind: Kind
    /// Where the code of the record is.
    let code: UInt64
    /// Where its text is; nil where that is unknown.
    ///
    /// An address of 0 is one that the assembler could not resolve: the compiler names a literal by
    /// its text, and of one with a line feed it spells the name so that no assembler reads it.
    let text: UInt64?
    /// A line or a number of bytes; 0 where it is known only at run time.
    let number: UInt32
    /// The raw value of the level; nil where it is known only at run time.
    let level: UInt8?
    /// The raw value of the floor of the module; nil where the build did not fold it.
    let floor: Int8?

    /// Reads the record at an offset of the table's bytes, which is at the address in the program.
    init(_ bytes: [UInt8], at offset: Int, address: UInt64) throws(InspectionProblem) {
        let raw: UInt8 = bytes[offset + 12]
        guard let kind = Kind(rawValue: raw) else {
            throw .damagedTable("a record of the unknown kind \(raw)")
        }
        self.kind = kind
        code = Self.target(bytes.integer(at: offset), of: address)
        let text: Int32 = bytes.integer(at: offset + 4)
        let target = Self.target(text, of: address &+ 4)
        self.text = text == 0 || target == 0 ? nil : target
        number = bytes.integer(at: offset + 8)
        let level = Int8(bitPattern: bytes[offset + 13])
        let floor = Int8(bitPattern: bytes[offset + 14])
        let unknown = Int8(CWINNOW_STATEMENT_UNKNOWN)
        guard level == unknown || 0...7 ~= level, floor == unknown || -1...7 ~= floor else {
            throw .damagedTable("a record with the level \(level) and the floor \(floor)")
        }
        self.level = level == unknown ? nil : UInt8(level)
        self.floor = floor == unknown ? nil : floor
    }

    private static func target(_ relative: Int32, of member: UInt64) -> UInt64 {
        member &+ UInt64(bitPattern: Int64(relative))
    }
}
