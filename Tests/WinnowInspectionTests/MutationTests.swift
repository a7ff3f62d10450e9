// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowInspection
import WinnowTesting

/// Whatever the bytes of a file are, the reader ends with a list or a problem.
struct MutationTests {
    /// An image with everything that the reader follows: names, symbols, functions, libraries.
    private func image(hasWinnow: Bool) -> [UInt8] {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["a text", " more"])
        image.addStatement(at: 0x1100, line: 0, level: 127, texts: ["in a wrapper"])
        image.records[4].text = nil
        image.addText("outside", at: 0x1300)
        let symbol =
            ProgramImage.little(UInt32(1)) + [2, 0] + ProgramImage.little(UInt16(1))
            + ProgramImage.little(UInt64(0x1000)) + ProgramImage.little(UInt64(0x800))
        let function: [UInt8] = [1, 0x1B, 0x03, 0x3B, 0, 0, 0, 0, 1, 0, 0, 0]
        let entries = [1, 1, 1, 11, 0, 0].flatMap { ProgramImage.little(UInt64($0)) }
        let first: UInt32 = hasWinnow ? 5 : 3
        image.more = [
            .init(name: ".symtab", kind: 2, link: first + 1, bytes: symbol),
            .init(name: ".strtab", kind: 3, bytes: Array("\0$s3App4note4textySS_tF\0".utf8)),
            .init(name: ".dynamic", kind: 6, link: first + 3, bytes: entries),
            .init(name: ".dynstr", kind: 3, bytes: Array("\0libc.so.6\0libWinnow.so\0".utf8)),
            .init(
                name: ".eh_frame_hdr",
                kind: 1,
                address: 0x5000,
                bytes: function + ProgramImage.little(Int32(-0x4000)) + [0, 0, 0, 0]
            ),
        ]
        if !hasWinnow {
            image.version = nil
            image.hasTable = false
        }
        // The code is never read: what is left of it keeps the mutations where they count.
        return image.bytes
    }

    /// The offsets of the bytes that mean something: all but the code.
    private func targets(_ bytes: [UInt8]) -> [Int] {
        bytes.indices.filter { bytes[$0] != 0xC3 }
    }

    @Test(arguments: [true, false])
    func `a file with wrong bytes gives a list or a problem`(hasWinnow: Bool) {
        var generator = SeededRandom(seed: 2026)
        let original = image(hasWinnow: hasWinnow)
        let targets = targets(original)
        let extremes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
        var lists = 0
        for _ in 0..<10_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let start = targets.randomElement(using: &generator) ?? 0
                // Whole words as well: a size or an offset with all bits set.
                let count = [1, 1, 2, 4, 8].randomElement(using: &generator) ?? 1
                let value = extremes.randomElement(using: &generator) ?? 0
                for index in start..<min(start + count, bytes.count) {
                    bytes[index] =
                        Bool.random(using: &generator)
                        ? value : UInt8.random(in: 0...255, using: &generator)
                }
            }
            if let table = try? StatementTable(bytes) {
                lists += 1
                let report = StatementReport(program: "app", table: table)
                #expect(report.text.hasSuffix("\n") && report.json.hasSuffix("}\n"))
            }
        }
        // Some mutations hurt nothing, and some everything, or the test tests nothing.
        #expect(hasWinnow ? 100..<9_900 ~= lists : lists < 100, "\(lists) lists")
    }

    @Test
    func `noise behind a good header gives a list or a problem`() {
        var generator = SeededRandom(seed: 1)
        let header = Array(image(hasWinnow: true).prefix(20))
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...600, using: &generator)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(throws: InspectionProblem.self) { try StatementTable(header + noise) }
        }
    }
}
