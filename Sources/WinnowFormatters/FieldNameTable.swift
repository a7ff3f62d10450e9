// SPDX-License-Identifier: Apache-2.0

/// The names of a record with many fields, so that telling them apart looks at each name once and not
/// once for every other name.
///
/// Names are kept as hashes. Where two differ and have the same one, the later gets a number that it
/// does not need, which is no harm.
struct FieldNameTable {
    /// How often a name has come so far.
    private var counts: [UInt64: UInt64] = [:]
    /// The greatest number that the record has behind a name itself.
    private var greatest: [UInt64: UInt64] = [:]

    /// Counts a name that has come.
    mutating func count(_ name: UInt64) {
        counts[name, default: 0] += 1
    }

    /// Notes that the record has the name with the number behind it.
    mutating func note(_ number: UInt64, behind name: UInt64) {
        greatest[name] = max(greatest[name] ?? 0, number)
    }

    /// Counts a name that comes now; returns the number to append to it, as
    /// ``FieldNames/nextOrdinal(for:in:)`` has it.
    mutating func nextOrdinal(for name: UInt64) -> UInt64? {
        let earlier = counts[name] ?? 0
        counts[name] = earlier + 1
        return earlier == 0 ? nil : max(greatest[name] ?? 0, 1) &+ earlier
    }
}
