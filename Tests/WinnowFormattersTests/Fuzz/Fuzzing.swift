// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowTesting

/// What is wrong with the output for a random record.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws what is wrong unless the condition holds.
func require(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    if !condition { throw FuzzFailure(problem()) }
}

/// Calls the body with generators of consecutive seeds; the seed of one that fails is told.
///
/// `WINNOW_TEST_SEED` replaces the first seed, and with `WINNOW_TEST_ROUNDS=1` only it is tried.
func fuzz(
    seed: UInt64,
    rounds: Int = 2_000,
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: (inout SeededRandom) throws -> Void
) {
    let first = number(of: "WINNOW_TEST_SEED") ?? seed &<< 32
    let count = number(of: "WINNOW_TEST_ROUNDS") ?? UInt64(rounds)
    for round in 0..<count {
        var generator = SeededRandom(seed: first &+ round)
        do {
            try body(&generator)
        } catch {
            Issue.record("seed \(first &+ round): \(error)", sourceLocation: sourceLocation)
            return
        }
    }
}

/// Calls the body with random records and what they are made of.
func fuzzRecords(
    seed: UInt64,
    rounds: Int = 2_000,
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: (borrowing Record, RandomRecord) throws -> Void
) {
    fuzz(seed: seed, rounds: rounds, sourceLocation: sourceLocation) { generator in
        let random = RandomRecord(using: &generator)
        try random.lend { try body($0, random) }
    }
}

private func number(of variable: String) -> UInt64? {
    // SAFETY: nobody changes the environment meanwhile, and the text is copied.
    guard let text = unsafe getenv(variable) else { return nil }
    return UInt64(unsafe String(cString: text))
}

/// Returns the text of a line without its line feed; throws unless it is UTF-8 whose only control
/// character is a line feed at its end.
///
/// - Parameters:
///   - line: The bytes.
///   - allowed: Control characters that it may hold.
/// - Returns: The text.
/// - Throws: What is wrong with it.
@discardableResult
func requireOneLine(_ line: [UInt8], allowing allowed: [Unicode.Scalar] = []) throws -> String {
    guard line.last == 0x0A else { throw FuzzFailure("no line feed at the end: \(line)") }
    return try requireHarmless(Array(line.dropLast()), allowing: allowed)
}

/// Returns the text of bytes; throws unless it is UTF-8 without control characters.
@discardableResult
func requireHarmless(_ bytes: [UInt8], allowing allowed: [Unicode.Scalar] = []) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw FuzzFailure("not UTF-8: \(bytes)")
    }
    let harmful = text.unicodeScalars.first { $0.isHarmful && !allowed.contains($0) }
    if let harmful { throw FuzzFailure("holds U+\(String(harmful.value, radix: 16)): \(bytes)") }
    return text
}

extension Unicode.Scalar {
    /// Whether the character does harm in a line, as the Unicode Character Database has it.
    var isHarmful: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}
