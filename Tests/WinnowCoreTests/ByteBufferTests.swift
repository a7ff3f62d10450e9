// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

struct ByteBufferTests {
    /// The text that a buffer holds after the body.
    private func text(_ fill: (inout ByteBuffer) -> Void) -> String {
        var buffer = ByteBuffer(capacity: 1)
        fill(&buffer)
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    @Test
    func `appends what it is given, and grows`() {
        let long = String(repeating: "é", count: 1_000)
        #expect(
            text {
                $0.append("a" as StaticString); $0.append(long); $0.append(98)
            } == "a\(long)b"
        )
    }

    @Test(arguments: [
        (Int64.min, "-9223372036854775808"), (-1, "-1"), (0, "0"), (9, "9"), (10, "10"),
        (Int64.max, "9223372036854775807"),
    ])
    func `writes signed integers`(number: Int64, digits: String) {
        #expect(text { $0.append(decimal: number) } == digits)
    }

    @Test
    func `writes unsigned integers and other radixes`() {
        #expect(text { $0.append(decimal: UInt64.max) } == "18446744073709551615")
        #expect(text { $0.append(digitsOf: 255, radix: 16, atLeast: 4) } == "00ff")
        #expect(text { $0.append(digitsOf: 255, radix: 16, atLeast: 1, uppercase: true) } == "FF")
        #expect(text { $0.append(digitsOf: 8, radix: 8, atLeast: 1) } == "10")
        #expect(text { $0.append(digitsOf: 5, radix: 2, atLeast: 8) } == "00000101")
    }

    @Test
    func `is empty after removeAll and shorter after truncate`() {
        #expect(
            text {
                $0.append("abc" as StaticString); $0.removeAll()
            } == ""
        )
        #expect(
            text {
                $0.append("abc" as StaticString); $0.truncate(to: 1)
            } == "a"
        )
        #expect(
            text {
                $0.append("abc" as StaticString); $0.truncate(to: 9)
            } == "abc"
        )
    }

    @Test
    func `repeats a byte, and nothing for a negative number`() {
        #expect(
            text {
                $0.append(repeating: 120, count: 3); $0.append(repeating: 120, count: -1)
            } == "xxx"
        )
    }

    @Test(arguments: [(0, 7, "ABCDEFG"), (2, 1, "ABGCDEF"), (2, 3, "ABEFGCD"), (6, 1, "ABCDEFG")])
    func `moves its end in front of what follows the offset`(
        offset: Int,
        distance: Int,
        expected: String
    ) {
        let moved = text {
            $0.append("ABCDEFG" as StaticString)
            $0.rotate(from: offset, rightBy: distance)
        }
        #expect(moved == expected)
    }
}
