// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Reads the records of the tables of one program, and the texts that they point to.
struct StatementReader<Source: ByteSource> {
    private let image: ELFImage<Source>
    private var records: [StatementRecord] = []
    private var literals: [Literal: String] = [:]
    /// The bytes of texts that may still be read: a text is read once, and none holds many others,
    /// so that more than a few times the file is a damaged table.
    private var budget: UInt64
    /// The bytes of tables that may still be read: no two of them lie in one place.
    private var tableBudget: UInt64

    private struct Literal: Hashable {
        let address: UInt64
        let count: UInt32
    }

    init(_ image: ELFImage<Source>) {
        self.image = image
        // A sparse file is not as large as it says.
        budget = 8 * min(image.source.size, 128 << 20)
        tableBudget = image.source.size
    }

    /// Adds the records of a section.
    mutating func read(_ table: ELFImage<Source>.Section) throws(InspectionProblem) {
        guard table.size <= tableBudget else {
            throw .damagedTable("it is larger than the program")
        }
        tableBudget -= table.size
        let bytes = try image.bytes(of: table)
        guard bytes.count % StatementRecord.size == 0 else {
            throw .damagedTable("its size is \(bytes.count) bytes, no multiple of 16")
        }
        for offset in stride(from: 0, to: bytes.count, by: StatementRecord.size) {
            let address = table.address &+ UInt64(offset)
            let record = try StatementRecord(bytes, at: offset, address: address)
            guard image.offset(of: record.code) != nil else {
                throw .damagedTable("a record of code outside of the program")
            }
            records.append(record)
        }
    }

    /// Returns the statements, and the texts that belong to none.
    consuming func finish() throws(InspectionProblem) -> ([Statement], [String]) {
        // Several records may have one address, and stand in the order of the code.
        let order = records.indices.sorted {
            (records[$0].code, $0) < (records[$1].code, $1)
        }
        records = order.map { records[$0] }
        let assembly = StatementAssembly(records, functionStarts: try image.functionStarts())
        let needNames = records.contains { $0.kind == .begin && ($0.text == nil || $0.number == 0) }
        let names = needNames ? try FunctionNames(image) : nil
        var statements: [Statement.Identity: Statement] = [:]
        for parts in assembly.statements {
            let statement = try statement(parts, names)
            if statements[statement.identity] == nil {
                statements[statement.identity] = statement
            } else {
                statements[statement.identity]?.copies += 1
            }
        }
        var loose: Set<String> = []
        for index in assembly.looseTexts {
            if let text = try literal(records[index]) { loose.insert(text) }
        }
        return (statements.values.sorted(by: Statement.isListed), loose.sorted())
    }

    private mutating func statement(
        _ parts: StatementAssembly.Parts,
        _ names: FunctionNames?
    ) throws(InspectionProblem) -> Statement {
        let record = records[parts.begin]
        var texts: [String?] = []
        for index in parts.texts {
            texts.append(try literal(records[index]))
        }
        var place: (module: String?, file: String?)
        if let address = record.text { place = try file(at: address) }
        let line = record.number == 0 ? nil : record.number
        let hasPlace = place.file != nil && line != nil
        return Statement(
            severity: Self.severity(record),
            module: place.module,
            file: place.file,
            line: line,
            function: hasPlace ? nil : names?.name(at: record.code),
            address: record.code,
            texts: texts,
            isOptimized: record.isOptimized,
            copies: 1
        )
    }

    private static func severity(_ record: StatementRecord) -> Statement.Severity {
        if let level = record.level.flatMap(Level.init(rawValue:)) { return .exactly(level) }
        // A floor of -1 lets no statement be, whatever its level.
        guard let floor = record.floor, let level = Level(rawValue: UInt8(max(floor, 0))) else {
            return .unknown
        }
        return .upTo(level)
    }

    /// Returns the text of a record; nil where it is unknown.
    private mutating func literal(_ record: StatementRecord) throws(InspectionProblem) -> String? {
        guard let address = record.text, record.number > 0 else { return nil }
        let key = Literal(address: address, count: record.number)
        if let text = literals[key] { return text }
        let count = UInt64(record.number)
        guard let offset = image.offset(of: address), count <= budget else {
            throw .damagedTable("a text outside of the program")
        }
        budget -= count
        let bytes = try image.source.bytes(at: offset, count: count, of: "the text of a statement")
        let text = String(decoding: bytes, as: UTF8.self)
        literals[key] = text
        return text
    }

    /// Returns the parts of the `#fileID` at an address, before its terminating zero.
    private mutating func file(
        at address: UInt64
    ) throws(InspectionProblem) -> (module: String?, file: String?) {
        let text = try terminatedText(at: address)
        guard let slash = text.firstIndex(of: "/"), slash > text.startIndex else {
            return (nil, text)
        }
        return (String(text[..<slash]), String(text[text.index(after: slash)...]))
    }

    /// The longest `#fileID` that is read, in bytes: PATH_MAX.
    private static var longestFile: UInt64 { 4096 }

    private mutating func terminatedText(at address: UInt64) throws(InspectionProblem) -> String {
        let key = Literal(address: address, count: 0)
        if let text = literals[key] { return text }
        guard let offset = image.offset(of: address), offset < image.source.size else {
            throw .damagedTable("a file name outside of the program")
        }
        let count = min(Self.longestFile, image.source.size - offset)
        let bytes = try image.source.bytes(at: offset, count: count, of: "a file name")
        guard let text = bytes.text(at: 0, limit: bytes.count) else {
            throw .damagedTable("a file name without an end")
        }
        // Each record may lead to another place within one long text.
        let length = UInt64(text.utf8.count)
        guard length <= budget else { throw .damagedTable("texts larger than the program") }
        budget -= length
        literals[key] = text
        return text
    }
}
