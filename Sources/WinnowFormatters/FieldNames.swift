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
    /// What takes the place of the comparisons where there are many fields.
    private var table: FieldNameTable?

    /// The number of fields up to which comparisons cost less than a table.
    private static let fewFields = 32

    /// Begins a record.
    init(reserved: [StaticString] = [], isCleaned: Bool) {
        self.reserved = reserved
        self.isCleaned = isCleaned
        for name in reserved {
            // SAFETY: the bytes of a literal live as long as the program.
            seen |= name.withUTF8Buffer { plainSlot(of: unsafe $0.span) }
        }
    }

    /// Returns the number to append to the name of the next field; nil where it needs none.
    mutating func nextOrdinal(for name: Span<UInt8>, in record: borrowing Record) -> UInt64? {
        let position = index
        let slot = slot(of: name)
        index += 1
        guard seen & slot != 0 || table != nil else {
            seen |= slot
            return nil
        }
        guard record.fieldCount <= Self.fewFields else {
            var names = table.take() ?? makeTable(of: record, upTo: position)
            defer { table = names }
            return names.nextOrdinal(for: Self.hash(of: written(name)[...]))
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

    /// Makes the table of a record of which so many fields have come.
    private func makeTable(of record: borrowing Record, upTo position: Int) -> FieldNameTable {
        var table = FieldNameTable()
        for name in reserved {
            // SAFETY: as above.
            name.withUTF8Buffer { table.count(Self.hash(of: written(unsafe $0.span)[...])) }
        }
        var current = 0
        record.forEachFieldSpan { name, _, _, _ in
            let bytes = written(name)
            if current < position { table.count(Self.hash(of: bytes[...])) }
            if let (base, number) = Self.numbered(bytes) {
                table.note(number, behind: Self.hash(of: base))
            }
            current += 1
        }
        return table
    }

    /// What a name becomes in the output.
    private func written(_ name: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.count)
        var place = Place()
        while let byte = next(in: name, at: &place) { bytes.append(byte) }
        return bytes
    }

    /// Takes apart what is another name, `_` and up to 18 digits; nil for what is not.
    private static func numbered(_ name: [UInt8]) -> (base: ArraySlice<UInt8>, number: UInt64)? {
        let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        let end = name.lastIndex { !isDigit($0) } ?? -1
        let digits = name[(end + 1)...]
        guard end >= 0, name[end] == UInt8(ascii: "_"), (1...18).contains(digits.count) else {
            return nil
        }
        let number = digits.reduce(0) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
        return (name[..<end], number)
    }

    /// Returns a number that is the same for names that are equal.
    ///
    /// Source: FNV-1a, draft-eastlake-fnv.
    private static func hash(of name: ArraySlice<UInt8>) -> UInt64 {
        name.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// The number of a name that is another one, `_` and up to 18 digits.
    private func number(of name: Span<UInt8>, after base: Span<UInt8>) -> UInt64? {
        var place = Place()
        var basePlace = Place()
        while let byte = next(in: base, at: &basePlace) {
            guard next(in: name, at: &place) == byte else { return nil }
        }
        guard next(in: name, at: &place) == UInt8(ascii: "_") else { return nil }
        var number: UInt64 = 0
        var digits = 0
        while let byte = next(in: name, at: &place) {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte, digits < 18 else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
            digits += 1
        }
        return digits > 0 ? number : nil
    }

    private func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        if left.count == right.count, left.indices.allSatisfy({ left[$0] == right[$0] }) {
            return true
        }
        guard isCleaned else { return false }
        var leftPlace = Place()
        var rightPlace = Place()
        while let byte = next(in: left, at: &leftPlace) {
            guard next(in: right, at: &rightPlace) == byte else { return false }
        }
        return next(in: right, at: &rightPlace) == nil
    }

    /// How far the bytes of a name are read.
    private struct Place {
        var index = 0
        /// The bytes that are left of a character that stands as it is.
        var rest = 0
    }

    /// Returns the next byte of what a name becomes in the output; nil at its end.
    private func next(in name: Span<UInt8>, at place: inout Place) -> UInt8? {
        guard place.index < name.count else {
            // An empty name is written `_`.
            guard isCleaned, name.isEmpty, place.index == 0 else { return nil }
            place.index = 1
            return UInt8(ascii: "_")
        }
        let byte = name[place.index]
        if isCleaned, place.rest == 0 {
            let unit = UTF8Unit(at: place.index, in: name)
            if unit.isHarmful(in: .name) {
                place.index += unit.count
                return UInt8(ascii: "_")
            }
            place.rest = unit.count
        }
        place.index += 1
        place.rest -= 1
        return byte
    }

    /// One of 64 bits, the same for names that are equal.
    private func slot(of name: Span<UInt8>) -> UInt64 {
        if !name.isEmpty, !isCleaned || Escaping.name.allows(name) {
            return plainSlot(of: name)
        }
        var place = Place()
        let first = next(in: name, at: &place) ?? 0
        var (count, last) = (name.isEmpty && !isCleaned ? 0 : 1, first)
        while let byte = next(in: name, at: &place) {
            count += 1
            last = byte
        }
        return slot(count: count, first: first, last: last)
    }

    /// The bit of a name that stands as it is, and is not empty.
    private func plainSlot(of name: Span<UInt8>) -> UInt64 {
        slot(count: name.count, first: name[0], last: name[name.count - 1])
    }

    private func slot(count: Int, first: UInt8, last: UInt8) -> UInt64 {
        1 &<< UInt64((count &* 5 &+ Int(first) &* 3 &+ Int(last)) & 63)
    }
}
