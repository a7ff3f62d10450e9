// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// Messages whose pieces meet the end of the memory that they are decoded into and formatted in: 1 024
/// bytes at first.
struct BufferEndTests {
    private let long = String(repeating: "long ", count: 14)

    @Test(arguments: [0, 512, 920])
    func `no piece of a message is lost where the memory ends`(first: Int) {
        for length in first..<first + 120 {
            let padding = String(repeating: "x", count: length)
            let line = withRecord(
                "\(padding)a \(12_345_678) \(-5) \(0.25) \(1e300) \(Int64.min) \(long)\("é")\(7)",
                category: "net"
            ) { text(of: $0, by: TextFormatter(time: .none)) }
            let numbers = "12345678 -5 0.25 1e+300 -9223372036854775808"
            #expect(line == "notice  [net] \(padding)a \(numbers) \(long)é7\n")
        }
    }

    @Test func `what stands in front of a message that does not fit is kept`() {
        for length in 400..<600 {
            var buffer = ByteBuffer(capacity: 512)
            buffer.append(repeating: UInt8(ascii: "="), count: length)
            withRecord("m\n", category: "a\u{1B}", fields: ["n": 1]) {
                TextFormatter().format($0, into: &buffer)
            }
            let line = buffer.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            let start = String(repeating: "=", count: length)
            #expect(
                line == start + #"2026-11-21T09:30:15.123456Z notice  [a\u{1b}] m\n n=1"# + "\n"
            )
        }
    }
}
