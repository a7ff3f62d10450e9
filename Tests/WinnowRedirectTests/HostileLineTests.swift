// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowRedirect
import WinnowTesting

/// Lines of any bytes, each at the end of its memory, so that a read behind it is a fault.
struct HostileLineTests {
    @Test
    func `bytes that are no text are found, and are U+FFFD for an expression`() {
        let line: [UInt8] = [0x61, 0, 0xFF, 0xFE, 0x62]
        func decided(_ rule: RedirectRule) -> String {
            decide(line, by: RuleSet([rule], otherwise: .pass))
        }

        #expect(decided(.contains(bytes: [0xFF, 0xFE], .drop)) == "drop")
        #expect(decided(.contains(bytes: [0xFE, 0xFF], .drop)) == "pass")
        #expect(decided(.prefix(bytes: [0x61, 0, 0xFF], .drop)) == "drop")
        #expect(decided(.contains("\0", .drop)) == "drop")
        #expect(decided(.contains("a\0b", .drop)) == "pass")
        #expect(decided(.matchesSlowly(#/^a\x{0}\x{FFFD}\x{FFFD}b$/#, .drop)) == "drop")
        #expect(decided(.matches(#/b/#, requiring: "\0", .drop)) == "drop")
        let kept = RuleSet([], otherwise: .log(.info)).selection(
            origin: LineOrigin(name: "a"),
            stream: .stdout
        ).decide(line.span)
        #expect(kept == .log(.info, category: nil, text: 0..<5))
    }

    @Test
    func `a long line is decided`() {
        let size = 1 << 20
        let rules = RuleSet(
            [.contains("needle", .drop), .matches(#/x/#, requiring: "needle", .drop)],
            otherwise: .logParsed(otherwise: .info)
        )
        for piece in [
            "a", "[", "\u{1B}[", "\"", "a=", "{", "(1:", "-", "\r", "\\", "<", "10:00:00 ",
        ] {
            let line = Array(String(repeating: piece, count: size / piece.utf8.count).utf8)
            #expect(decide(line, by: rules).hasPrefix("info|"), "\(piece)")
        }
    }

    /// What lines with a level or a banner consist of.
    static let pieces: [[UInt8]] =
        [
            "2026-11-21", " ", "T", "10:00:00", ".123", ",123", "Z", "+01:00", "prog", "[", "]",
            "123",
            ":", "abc", "] ", "INFO", "warn", "Error", "[error]", "<6>", "I0923 ", "** ", "(p:1): ",
            "GLib-CRITICAL", " **", "{", "}", "\"level\"", "\"", "\\", "level=", "lvl", "=", ",",
            "-",
            "|", "\u{1B}[31m", "\u{1B}[", "\u{1B}", "\r", "\n", "\t", "\0", "é", "30", "/", "x",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xE2, 0x80]]

    @Test
    func `no line makes a decision trap, read too far or take too much`() throws {
        let page = try GuardedPage()
        let rules = RuleSet(
            [
                .contains("abc=", .drop), .prefix("{{", .pass),
                .matches(#/^\w+ \d/#, requiring: "= ", .log(.alert)),
            ],
            otherwise: .logParsed(otherwise: .debug)
        )
        let selection = rules.selection(origin: LineOrigin(name: "a"), stream: .stdout)
        var generator = SeededRandom(seed: 20_261_121)
        var levels: Set<Level> = []
        for round in 0..<60_000 {
            var line: [UInt8] = []
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                if Int.random(in: 0...9, using: &generator) == 0 {
                    line.append(UInt8.random(in: 0...255, using: &generator))
                } else {
                    line += HostileLineTests.pieces.randomElement(using: &generator) ?? []
                }
            }
            let (first, second) = unsafe page.withLine(line) { bytes in
                unsafe (selection.decide(bytes), selection.decide(bytes))
            }
            #expect(first == second, "round \(round): \(line)")
            guard case .log(let level, nil, _, let text) = first else { continue }
            levels.insert(level)
            guard 0 <= text.lowerBound, text.upperBound <= line.count else {
                Issue.record("round \(round): \(text) of \(line)")
                return
            }
            // What is taken off at the end are line breaks only.
            #expect(line[text.upperBound...].allSatisfy { $0 == 0x0A || $0 == 0x0D })
        }
        #expect(levels == [.alert, .error, .warning, .info, .debug])
    }
}

/// Memory whose end nothing can read behind.
@safe
final class GuardedPage {
    private static let size = 4_096
    // SAFETY: it is mapped until the page is released.
    private let memory: UnsafeMutableRawPointer

    init() throws {
        let size = GuardedPage.size
        let pages = unsafe mmap(
            nil,
            2 * size,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS,
            -1,
            0
        )
        unsafe memory = try #require(pages)
        try unsafe #require(memory != UnsafeMutableRawPointer(bitPattern: -1))
        try #require(unsafe mprotect(memory + size, size, PROT_NONE) == 0)
    }

    deinit {
        unsafe munmap(memory, 2 * GuardedPage.size)
    }

    func withLine<Result>(_ line: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let count = min(line.count, GuardedPage.size)
        let start = unsafe memory + (GuardedPage.size - count)
        unsafe start.copyMemory(from: line, byteCount: count)
        return unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
