// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

struct NumberTextTests {
    /// The text that a buffer holds after the body, which does not begin where a word does.
    private func text(_ fill: (inout ByteBuffer) -> Void) -> String {
        var buffer = ByteBuffer(capacity: 1)
        buffer.append(UInt8(ascii: "="))
        fill(&buffer)
        buffer.append(UInt8(ascii: ";"))
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    private func expectDescription(of number: Double) {
        #expect(text { $0.append(shortest: number) } == "=\(number.description);")
    }

    @Test func `an integer has its digits at every length`() {
        var power: UInt64 = 1
        for _ in 0..<20 {
            for number in [power &- 1, power, power &+ 1, power &* 7] {
                #expect(text { $0.append(decimal: number) } == "=\(number);")
            }
            power = power &* 10
        }
        for number: UInt64 in 0...10_100 {
            #expect(text { $0.append(decimal: number) } == "=\(number);")
        }
    }

    @Test(
        arguments: zip(
            [0, 9, 10, 15, 16, 0x9F3C_01AA, 0xABCD_EF01, 0x2345_6789, .max] as [UInt32],
            [
                "00000000", "00000009", "0000000a", "0000000f", "00000010", "9f3c01aa", "abcdef01",
                "23456789", "ffffffff",
            ]
        )
    )
    func `a hexadecimal number has eight digits`(number: UInt32, digits: String) {
        #expect(text { $0.append(hexadecimal: number) } == "=\(digits);")
    }

    @Test(
        arguments: [
            0, -0.0, 0.5, 0.25, -3, 1e-4, 0.0001234, 9.999999e-5, 1e-5, 0.000001, 0.1 + 0.2,
            999_999_999, 999_999_999.999999, 999_999_999.9999999, 1e9, 1e15, 1e16, 0x1p53,
            123_456.789012, 100_000.1, 1.000001, 1.0000001, .pi, .nan, .infinity, -.infinity,
            .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 1.1.nextUp,
            0.3.nextDown, 1e-4.nextDown, 1e9.nextDown,
        ]
    )
    func `a floating-point number is written as Swift describes it`(number: Double) {
        expectDescription(of: number)
    }

    @Test func `so is one with some digits behind the point`() {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<50_000 {
            var scale = 1.0
            for _ in 0..<round % 9 { scale *= 10 }
            let digits = Int64.random(
                in: -1_000_000_000_000_000...1_000_000_000_000_000,
                using: &generator
            )
            let number = Double(digits >> (round % 40)) / scale
            let wrong = [number, number.nextUp, number.nextDown].first { neighbor in
                text { $0.append(shortest: neighbor) } != "=\(neighbor);"
            }
            if let wrong { return expectDescription(of: wrong) }
        }
    }

    @Test func `so is one of any bits`() {
        for _ in 0..<50_000 {
            let number = Double(bitPattern: .random(in: 0 ... .max))
            guard text({ $0.append(shortest: number) }) != "=\(number);" else { continue }
            return expectDescription(of: number)
        }
    }
}
