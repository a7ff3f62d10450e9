// SPDX-License-Identifier: Apache-2.0

internal import CWinnowRedirect

/// What a rule asks of the text of a line.
enum TextTest: Sendable {
    case prefix([UInt8])
    case contains([UInt8])
    case matches(RuleExpression)

    func holds(for text: Span<UInt8>) -> Bool {
        switch self {
        case .prefix(let bytes): text.starts(with: bytes)
        case .contains(let bytes): text.contains(bytes)
        case .matches(let expression): expression.matches(text)
        }
    }
}

extension Span<UInt8> {
    /// Whether the part stands at the beginning.
    func starts(with part: [UInt8]) -> Bool {
        guard part.count <= count else { return false }
        for index in part.indices where self[index] != part[index] {
            return false
        }
        return true
    }

    /// Whether the part stands anywhere.
    func contains(_ part: [UInt8]) -> Bool {
        let place = unsafe withUnsafeBufferPointer { bytes in
            unsafe part.withUnsafeBufferPointer { part in
                // SAFETY: both have as many bytes as is said, and no pointer is kept.
                unsafe cwinnow_bytes_find(
                    bytes.baseAddress,
                    Int64(bytes.count),
                    part.baseAddress,
                    Int64(part.count)
                )
            }
        }
        return place >= 0
    }

    /// The place of the last such byte; nil where there is none.
    func lastIndex(of byte: UInt8) -> Int? {
        let place = unsafe withUnsafeBufferPointer { bytes in
            // SAFETY: there are as many bytes as is said, and no pointer is kept.
            unsafe cwinnow_bytes_find_last(bytes.baseAddress, Int64(bytes.count), byte)
        }
        return place >= 0 ? Int(place) : nil
    }
}
