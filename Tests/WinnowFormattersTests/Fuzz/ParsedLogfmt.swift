// SPDX-License-Identifier: Apache-2.0

/// The pairs of a line of logfmt: names without quotes, a value in quotes or a bare one, one space
/// between pairs.
struct ParsedLogfmt {
    let pairs: [(name: [UInt8], value: [UInt8])]

    /// Parses a line without its line feed.
    init(_ line: [UInt8]) throws {
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        var rest = line[...]
        while !rest.isEmpty {
            if !pairs.isEmpty {
                try require(rest.popFirst() == UInt8(ascii: " "), "no space before a pair")
            }
            let name = rest.prefix { $0 > 0x20 && !Array("=\"\\".utf8).contains($0) }
            rest = rest.dropFirst(name.count)
            try require(!name.isEmpty && rest.popFirst() == UInt8(ascii: "="), "no name")
            if rest.first == UInt8(ascii: "\"") {
                pairs.append((Array(name), try ParsedJSON.takeString(from: &rest)))
            } else {
                let value = rest.prefix { $0 > 0x20 && !Array("=\"\\".utf8).contains($0) }
                try require(!value.isEmpty, "no value")
                rest = rest.dropFirst(value.count)
                pairs.append((Array(name), Array(value)))
            }
        }
        self.pairs = pairs
    }
}
