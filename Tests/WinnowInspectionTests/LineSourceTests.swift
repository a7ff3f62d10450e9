// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WinnowInspection

/// The lines of files that are compressed, whole and damaged.
struct LineSourceTests {
    /// Runs the body with the path of a file that holds the bytes.
    private func withFile<Result>(
        _ bytes: [UInt8],
        _ body: (String) throws -> Result
    ) throws -> Result {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("winnow-lines-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try body(url.path)
    }

    private func lines(of bytes: [UInt8]) throws -> [String] {
        try withFile(bytes) { path in
            var lines: [String] = []
            try LineSource(path: path).forEachLine { line, isEnded in
                lines.append(String(decoding: line, as: UTF8.self) + (isEnded ? "\n" : ""))
            }
            return lines
        }
    }

    private func problem(_ bytes: [UInt8]) throws -> InspectionProblem? {
        do {
            _ = try lines(of: bytes)
            return nil
        } catch let problem as InspectionProblem {
            return problem
        }
    }

    /// A text as a file of gzip(1) that stores it: RFC 1952 with one block of RFC 1951, 3.2.4.
    private func gzip(_ text: String) -> [UInt8] {
        let content = Array(text.utf8)
        let length = UInt16(content.count)
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1]
        bytes += littleEndian(length) + littleEndian(~length) + content
        return bytes + littleEndian(crc(content)) + littleEndian(UInt32(content.count))
    }

    private func littleEndian<Integer: FixedWidthInteger>(_ number: Integer) -> [UInt8] {
        (0..<Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        return ~sum
    }

    @Test
    func `a compressed file has the lines of its content`() throws {
        #expect(try lines(of: gzip("one\ntwo\nhalf")) == ["one\n", "two\n", "half"])
        #expect(try lines(of: gzip("")) == [])
    }

    @Test
    func `compressed files that were joined are one, and a line may reach over`() throws {
        #expect(try lines(of: gzip("one\ntw") + gzip("") + gzip("o\n")) == ["one\n", "two\n"])
    }

    @Test
    func `a file that only begins like a compressed one is not compressed`() throws {
        #expect(try lines(of: [0x1F]).count == 1)
        #expect(try lines(of: Array("\u{1F}x\n".utf8)) == ["\u{1F}x\n"])
        #expect(try lines(of: []) == [])
    }

    @Test
    func `a compressed file that is cut says so, wherever`() throws {
        let whole = gzip("one\ntwo\n")
        for count in 2..<whole.count {
            let problem = try problem(Array(whole[..<count]))
            #expect(problem?.code == .damaged)
            #expect(problem?.text.hasPrefix("ends in the middle of what gzip wrote: ") == true)
        }
        let joined = try problem(whole + whole.dropLast())
        #expect(joined?.code == .damaged)
    }

    @Test(arguments: [2, 11, 17, 24, 28])
    func `a compressed file that is damaged says so`(index: Int) throws {
        var bytes = gzip("one\ntwo\n")
        bytes[index] ^= 0x40
        let problem = try problem(bytes)
        #expect(problem?.text.hasPrefix("is damaged: it is not what gzip wrote: ") == true)
    }

    @Test
    func `what follows a compressed file and is none is damage`() throws {
        #expect(try problem(gzip("one\n") + Array("two\n".utf8))?.code == .damaged)
    }
}
