// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// Text is copied many bytes at a time as far as it is harmless: what counts is that nobody can tell.
struct HarmlessTextTests {
    private static let ways = [Escaping.line, .quotes, .json, .name]

    @Test(arguments: ways)
    func `a byte of any value is found in a text of any length`(escaping: Escaping) {
        for byte in UInt8.min ... .max {
            for count in 1...70 {
                // Another place for each length, so that all are had at every offset of a block.
                let place = (count &* 31 &+ Int(byte)) % count
                expectTruth([byte], at: place, of: count, escaping)
            }
        }
    }

    @Test(arguments: ways)
    func `the least and the greatest of what is harmful are found at every place`(
        escaping: Escaping
    ) {
        let suspects: [UInt8] = [0x00, 0x1F, 0x20, 0x22, 0x3D, 0x5C, 0x7E, 0x7F, 0x80, 0xFF]
        for count in 1...70 {
            for place in 0..<count {
                expectTruth([suspects[(count &+ place) % 10]], at: place, of: count, escaping)
            }
        }
    }

    @Test(arguments: ways)
    func `a second one behind the first is found as well`(escaping: Escaping) {
        for count in 2...40 {
            for place in 0..<count - 1 {
                expectTruth([0x0A, 0x7F], at: place, of: count, escaping)
            }
        }
    }

    @Test func `neither where a text begins nor where it goes changes what is written`() {
        let bytes = Array("a text of some \u{1B} more than thirty-two bytes".utf8)
        for skipped in 0..<32 {
            for offset in 0..<16 {
                var buffer = ByteBuffer(capacity: 64)
                buffer.append(repeating: UInt8(ascii: "."), count: offset)
                buffer.append(bytes.span.extracting(skipped...), escaping: .line)
                let expected =
                    Array(repeating: UInt8(ascii: "."), count: offset)
                    + bytes.dropFirst(skipped).flatMap { truth($0, .line) }
                #expect(contents(of: buffer) == expected)
            }
        }
    }

    @Test func `characters of other scripts among plain ones stay`() {
        for count in 0...40 {
            let plain = String(repeating: "x", count: count)
            let text = "\(plain)ö\(plain)日\(plain)"
            for escaping in Self.ways {
                var buffer = ByteBuffer()
                buffer.append(text, escaping: escaping)
                #expect(contents(of: buffer) == Array(text.utf8))
            }
        }
    }

    @Test func `a value with a space, an equals sign or another script has quotes where it must`() {
        let values: [(String, String)] = [
            ("plain", "plain"), ("", "\"\""), ("größe", "größe"), ("größe 1", "\"größe 1\""),
            ("a b ö", "\"a b ö\""), ("a\u{202E}", #""a\u202e""#), ("a=b", "\"a=b\""),
            ("sixteen-and-more-bytes-ö=", "\"sixteen-and-more-bytes-ö=\""), (" ", "\" \""),
            ("sixteen-and-more-bytes-ö", "sixteen-and-more-bytes-ö"),
        ]
        for (value, expected) in values {
            let line = withRecord("m", fields: ["k": value]) {
                text(of: $0, by: LogfmtFormatter())
            }
            #expect(line?.hasSuffix("msg=m k=\(expected)\n") == true)
        }
    }

    /// Compares a text of `x` with bytes in it to what stands for them one by one.
    private func expectTruth(_ bytes: [UInt8], at place: Int, of count: Int, _ escaping: Escaping) {
        var input = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        for (offset, byte) in bytes.enumerated() { input[place + offset] = byte }
        var buffer = ByteBuffer(capacity: 64)
        // What follows the text in the buffer is not touched before it is written.
        buffer.append(input.span, escaping: escaping)
        buffer.append(UInt8(ascii: "|"))
        let expected = input.flatMap { truth($0, escaping) } + [UInt8(ascii: "|")]
        if contents(of: buffer) != expected {
            Issue.record("\(bytes) at \(place) of \(count), \(escaping): \(contents(of: buffer))")
        }
    }

    /// What stands for a byte that no continuation follows.
    private func truth(_ byte: UInt8, _ escaping: Escaping) -> [UInt8] {
        let isMark = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        if escaping == .name {
            let isHarmful = byte <= 0x20 || byte >= 0x7F || isMark || byte == UInt8(ascii: "=")
            return isHarmful ? [UInt8(ascii: "_")] : [byte]
        }
        let digits = String(byte, radix: 16)
        switch byte {
        case 0x09: return Array(#"\t"#.utf8)
        case 0x0A: return Array(#"\n"#.utf8)
        case 0x0D: return Array(#"\r"#.utf8)
        case 0x20...0x7E: return isMark && escaping != .line ? [UInt8(ascii: "\\"), byte] : [byte]
        case 0x80...: return Array((escaping == .json ? "\u{FFFD}" : "\\x\(digits)").utf8)
        default:
            let zeros = String(repeating: "0", count: 4 - digits.count)
            return Array((escaping == .json ? "\\u\(zeros)\(digits)" : "\\u{\(digits)}").utf8)
        }
    }
}
