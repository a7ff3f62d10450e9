// SPDX-License-Identifier: Apache-2.0

import Glibc
import WinnowCore
import WinnowTesting

/// What a record of random parts is made of.
struct RandomRecord {
    /// The value of a field.
    enum Value: Equatable {
        case text([UInt8])
        case integer(Int64)
        case unsigned(UInt64)
        case double(Double)
        case bool(Bool)
        case null
    }

    /// A field; its name is UTF-8, as names are texts of the program.
    struct Field {
        let name: [UInt8]
        let value: Value
        let isInMessage: Bool
    }

    let level: Level
    let category: String
    let message: [UInt8]
    let fields: [Field]
    /// The file and the function of the call; none where the call is unknown.
    let file: [UInt8]
    let function: [UInt8]
    let line: UInt32
    let timestamp: UInt64
    let sequence: UInt64
    let levelSequence: UInt64
    let run: UInt32
    let threadID: Int32
    let processID: Int32

    init(using generator: inout SeededRandom) {
        level = Level.allCases.randomElement(using: &generator) ?? .notice
        category = Self.categories.randomElement(using: &generator) ?? ""
        message = generator.hostileBytes()
        let count = Int.random(in: 0...4, using: &generator)
        fields = (0..<count).map { _ in Field(using: &generator) }
        let isKnown = Int.random(in: 0..<4, using: &generator) > 0
        file = isKnown ? Array("Module/".utf8) + generator.hostileBytes() : []
        function = isKnown ? generator.hostileBytes() : []
        line = isKnown ? generator.edge(of: UInt32.self) : 0
        timestamp = generator.edge(of: UInt64.self)
        sequence = generator.edge(of: UInt64.self)
        levelSequence = generator.edge(of: UInt64.self)
        run = generator.edge(of: UInt32.self)
        threadID = generator.edge(of: Int32.self)
        processID = generator.edge(of: Int32.self)
    }

    /// The categories: few, because the cell of a category is never freed.
    private static let categories = [
        "", "net", "db.pool", "a b", "a=b", "a\nb", "<0>", "\u{1B}[2J", "\u{202E}x", "größe",
        "\"\\",
    ]
}

extension RandomRecord.Field {
    fileprivate init(using generator: inout SeededRandom) {
        // Of the few some come twice in a record, also after they are cleaned.
        let few = ["a", "a b", "a=b", "a_b", "a_2", "", "time", "level", "msg", "category", "é"]
        let name =
            Bool.random(using: &generator)
            ? few.randomElement(using: &generator) ?? ""
            : String(decoding: generator.hostileBytes(), as: UTF8.self)
        self.name = Array(name.utf8)
        isInMessage = Bool.random(using: &generator)
        let doubles: [Double] = [
            0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .leastNormalMagnitude,
            .greatestFiniteMagnitude, 0.1, 1e16, 1e-7, 9_007_199_254_740_992,
        ]
        value =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: .integer(generator.edge(of: Int64.self))
            case 1: .unsigned(generator.edge(of: UInt64.self))
            case 2: .double(doubles.randomElement(using: &generator) ?? 0)
            case 3: .double(Double(bitPattern: generator.next()))
            case 4: .bool(Bool.random(using: &generator))
            case 5: .null
            default: .text(generator.hostileBytes())
            }
    }
}

extension RandomRecord {
    /// Lends the record to the body.
    func lend<Result>(_ body: (borrowing Record) throws -> Result) throws -> Result {
        var content = RecordContent()
        content.text.append(message.span)
        content.messageLength = message.count
        let outcome = withRecord("", level: level, category: category) { model in
            var header = model.header
            header.line = line
            header.timestamp = timestamp
            header.sequence = sequence
            header.levelSequence = levelSequence
            header.run = run
            header.threadID = threadID
            header.processID = processID
            // All names in one run, whose memory the closure holds.
            let texts = fields.flatMap(\.name) + file + function
            return unsafe texts.withUnsafeBytes { texts in
                var start = 0
                func next(_ count: Int) -> UnsafeRawBufferPointer {
                    defer { start += count }
                    return unsafe UnsafeRawBufferPointer(rebasing: texts[start..<start + count])
                }
                for field in fields {
                    unsafe content.entries.append(
                        RecordContent.Entry(
                            name: next(field.name.count),
                            value: field.value.rendered(in: &content.text),
                            isInMessage: field.isInMessage
                        )
                    )
                }
                if !file.isEmpty {
                    unsafe content.file = next(file.count)
                    unsafe content.function = next(function.count)
                } else {
                    header.file = EncodedLiteral("")
                }
                return Record.withRecord(header: header, content: content) { record in
                    Swift.Result { try body(record) }
                }
            }
        }
        return try outcome.get()
    }
}

extension RandomRecord.Value {
    /// The value as a record holds it; a text goes to the buffer.
    fileprivate func rendered(in buffer: inout ByteBuffer) -> RecordContent.Value {
        switch self {
        case .text(let bytes):
            let offset = buffer.count
            buffer.append(bytes.span)
            return unsafe .rendered(offset: offset, count: bytes.count)
        case .integer(let number): return unsafe .integer(number)
        case .unsigned(let number): return unsafe .unsigned(number)
        case .double(let number): return unsafe .double(number)
        case .bool(let truth): return unsafe .bool(truth)
        case .null: return unsafe .null
        }
    }
}

extension SeededRandom {
    /// A number, often the least, the greatest or a small one.
    mutating func edge<Number: FixedWidthInteger>(of type: Number.Type) -> Number {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: .min
        case 1: .max
        case 2: Number(Int.random(in: 0...100, using: &self))
        default: Number(truncatingIfNeeded: next())
        }
    }

    /// Bytes, of which many are what a formatter must look at.
    mutating func hostileBytes() -> [UInt8] {
        if Int.random(in: 0..<4, using: &self) == 0 { return almostHarmlessBytes() }
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes += Array((pieces.randomElement(using: &self) ?? "").utf8)
            case 1: bytes.append(UInt8.random(in: 0...255, using: &self))
            case 2: bytes.append(UInt8.random(in: 0x80...255, using: &self))
            case 3: bytes += Array(String(harmfulScalar()).utf8)
            case 4: bytes += Array(String(anyScalar()).utf8)
            default: bytes.append(UInt8.random(in: 0x20...0x7E, using: &self))
            }
        }
        return bytes
    }

    /// Harmless characters with one that is not, at any place of a text that has about so many
    /// bytes as whole words of the processor: the escaping looks at eight at a time.
    private mutating func almostHarmlessBytes() -> [UInt8] {
        let count = max(
            0,
            8 * Int.random(in: 0...5, using: &self) + Int.random(in: -1...1, using: &self)
        )
        var bytes = (0..<count).map { _ in UInt8.random(in: 0x21...0x7E, using: &self) }
        let place = Int.random(in: 0...count, using: &self)
        switch Int.random(in: 0..<4, using: &self) {
        case 0: bytes.insert(contentsOf: Array(String(harmfulScalar()).utf8), at: place)
        case 1: bytes.insert(UInt8.random(in: 0x80...255, using: &self), at: place)
        case 2: bytes.insert(contentsOf: Array(String(anyScalar()).utf8), at: place)
        default: break
        }
        return bytes
    }

    /// A control character, a separator of lines or what turns the direction of writing.
    private mutating func harmfulScalar() -> Unicode.Scalar {
        let ranges: [ClosedRange<UInt32>] = [
            0x00...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E,
            0x2066...0x2069,
        ]
        let range = ranges.randomElement(using: &self) ?? 0...0
        return Unicode.Scalar(UInt32.random(in: range, using: &self)) ?? "\0"
    }

    private mutating func anyScalar() -> Unicode.Scalar {
        Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &self)) ?? "\u{FFFD}"
    }
}

private let pieces = [
    "\n<0>forged", "x\nPRIORITY=0", "\u{1B}[31m", "\u{202E}", "\u{2028}", "\u{85}", "\0", "\"",
    "\\",
    "=", " ", "plain text", "größe", "日本", "👩‍👩‍👧", "\r\n", "\u{7F}", "},{", "\":1,\"", "\\u{1b}",
    "\\n",
    " level=debug msg=", "{time}", "{{", "null", "80", "e\u{301}", "\u{FEFF}", "\u{FFFE}",
]
