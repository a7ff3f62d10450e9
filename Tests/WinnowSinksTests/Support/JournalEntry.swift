// SPDX-License-Identifier: Apache-2.0

/// An entry of journald's native protocol, or of its export format, which is the same, read by
/// the letter.
struct JournalEntry {
    var fields: [(name: String, value: [UInt8])] = []

    /// Reads the first entry of the bytes.
    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        self.init(readingFrom: &rest)
    }

    /// Reads all entries of the bytes.
    static func all(in bytes: [UInt8]) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            entries.append(JournalEntry(readingFrom: &rest))
        }
        return entries
    }

    private init(readingFrom rest: inout ArraySlice<UInt8>) {
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[rest.startIndex..<end]
            rest = rest[(end + 1)...]
            if line.isEmpty { return }
            if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(decoding: line[..<equals], as: UTF8.self)
                fields.append((name, Array(line[(equals + 1)...])))
            } else {
                var length = 0
                for byte in rest.prefix(8).reversed() { length = length << 8 | Int(byte) }
                let value = rest.dropFirst(8).prefix(length)
                fields.append((String(decoding: line, as: UTF8.self), Array(value)))
                rest = rest.dropFirst(8 + length + 1)
            }
        }
        rest = []
    }

    var names: [String] { fields.map(\.name) }

    /// The value of the only field of that name, as text; nil where there is none, or more.
    subscript(name: String) -> String? {
        let found = fields.filter { $0.name == name }
        guard found.count == 1 else { return nil }
        return String(decoding: found[0].value, as: UTF8.self)
    }
}
