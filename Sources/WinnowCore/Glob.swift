// SPDX-License-Identifier: Apache-2.0

/// A pattern of a text: `*` stands for any characters, `?` for one byte, all else for itself.
package struct Glob: Sendable, Equatable {
    /// Bytes, and the two that are none.
    private let elements: [UInt16]
    /// The pattern as it is written, with its escapes.
    private let text: String

    private static let anything: UInt16 = 0x100
    private static let anyByte: UInt16 = 0x101

    /// Reads a pattern, in which escapes stand for bytes.
    ///
    /// - Parameters:
    ///   - text: The pattern, a part of the entry.
    ///   - noun: What it is, for the problem's text: `a file`.
    ///   - entry: The entry.
    /// - Throws: The problem with it.
    init(_ text: Substring, as noun: String, in entry: Substring) throws(FilterProblem) {
        var elements: [UInt16] = []
        var rest = text.utf8
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "*"): elements.append(Self.anything)
            case UInt8(ascii: "?"): elements.append(Self.anyByte)
            default:
                let end = rest.firstIndex { "*?".utf8.contains($0) } ?? rest.endIndex
                let plain = Substring(rest[..<end])
                elements += try PercentEscapes.decoded(plain, as: noun, in: entry).utf8.map(
                    UInt16.init
                )
                rest = rest[end...]
                continue
            }
            rest = rest.dropFirst()
        }
        self.elements = elements
        self.text = String(text)
    }

    /// Whether the pattern is for all that a text has from an index on.
    ///
    /// Takes at most as many steps as the product of both lengths.
    func matches(_ text: Span<UInt8>, from start: Int = 0) -> Bool {
        var (element, index) = (0, start)
        // Where the last `*` stands, and where what it stands for ends as yet.
        var retry: (element: Int, index: Int)?
        while index < text.count {
            if element < elements.count, elements[element] == Self.anything {
                retry = (element, index)
                element += 1
            } else if element < elements.count, Self.isFor(elements[element], text[index]) {
                element += 1
                index += 1
            } else if let last = retry {
                retry = (last.element, last.index + 1)
                (element, index) = (last.element + 1, last.index + 1)
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == Self.anything }
    }

    private static func isFor(_ element: UInt16, _ byte: UInt8) -> Bool {
        element == anyByte || element == UInt16(byte)
    }

    /// Whether the pattern has a byte, as itself.
    func contains(_ byte: UInt8) -> Bool { elements.contains(UInt16(byte)) }
}

extension Glob: CustomStringConvertible {
    package var description: String { text }
}
