// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Tells fields of the same name in one record apart, so that no parser drops one of them.
///
/// The first field of a name keeps it; those that follow get `_2`, `_3` and so on, or larger
/// numbers where the record has such names itself.
struct FieldNames {
    /// The names that the format itself uses beside the fields.
    private let reserved: [StaticString]
    /// Whether names that are the same after ``Escaping/name`` count as the same.
    private let isCleaned: Bool
    /// The number of fields asked for so far.
    private var index = 0
    /// A bit for each name so far, by `slot`: one that is not set saves the comparisons.
    private var seen: UInt64 = 0

    /// Begins a record.
    init(reserved: [StaticString] = [], isCleaned: Bool) {
        self.reserved = reserved
        self.isCleaned = isCleaned
        for name in reserved {
            // SAFETY: the bytes of a literal live as long as the program.
            seen |= name.withUTF8Buffer { slot(of: unsafe $0.span) }
        }
    }

    /// Returns the number to append to the name of the next field; nil where it needs none.
    mutating func nextOrdinal(for name: Span<UInt8>, in record: borrowing Record) -> UInt64? {
        let position = index
        let slot = slot(of: name)
        index += 1
        guard seen & slot != 0 else {
            seen |= slot
            return nil
        }
        var earlier: UInt64 = 0
        var greatest: UInt64 = 1
        for other in reserved {
            // SAFETY: as above.
            other.withUTF8Buffer { other in
                if areEqual(name, unsafe other.span) { earlier += 1 }
            }
        }
        var current = 0
        record.forEachFieldSpan { other, _, _, _ in
            if current < position, areEqual(name, other) { earlier += 1 }
            greatest = max(greatest, number(of: other, after: name) ?? 0)
            current += 1
        }
        return earlier == 0 ? nil : greatest &+ earlier
    }

    /// The number of a name that is another one, `_` and up to 18 digits.
    private func number(of name: Span<UInt8>, after base: Span<UInt8>) -> UInt64? {
        guard name.count > base.count + 1, name.count <= base.count + 19,
            canonical(name[base.count]) == UInt8(ascii: "_"),
            areEqual(name.extracting(..<base.count), base)
        else { return nil }
        var number: UInt64 = 0
        for index in base.count + 1..<name.count {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = name[index] else { return nil }
            number = number * 10 + UInt64(name[index] - UInt8(ascii: "0"))
        }
        return number
    }

    private func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return left.indices.allSatisfy { canonical(left[$0]) == canonical(right[$0]) }
    }

    /// The byte that a byte becomes in the output, as far as one byte can tell.
    private func canonical(_ byte: UInt8) -> UInt8 {
        isCleaned && byte < 0x80 && Escaping.name.isSuspect(byte) ? UInt8(ascii: "_") : byte
    }

    /// One of 64 bits, the same for names that are equal.
    private func slot(of name: Span<UInt8>) -> UInt64 {
        guard !name.isEmpty else { return 1 }
        let first = Int(canonical(name[0]))
        let last = Int(canonical(name[name.count - 1]))
        return 1 &<< UInt64((name.count &* 5 &+ first &* 3 &+ last) & 63)
    }
}
