// SPDX-License-Identifier: Apache-2.0

/// A set of numbers, kept as ranges: what it takes grows with the holes and not with the numbers.
struct NumberRanges: Sendable, Hashable {
    /// The ranges, in order; between two of them at least one number is missing.
    private(set) var ranges: [ClosedRange<UInt64>] = []
    private(set) var count: UInt64 = 0

    var first: UInt64? { ranges.first?.lowerBound }
    var last: UInt64? { ranges.last?.upperBound }

    /// Adds a number from 1 on; returns whether it was not there yet.
    mutating func insert(_ number: UInt64) -> Bool {
        let next = nextRange(behind: number)
        if next > 0, ranges[next - 1].contains(number) { return false }
        count += 1
        let touchesBefore = next > 0 && ranges[next - 1].upperBound == number - 1
        let touchesNext = next < ranges.count && ranges[next].lowerBound - 1 == number
        switch (touchesBefore, touchesNext) {
        case (true, true):
            ranges[next - 1] = ranges[next - 1].lowerBound...ranges[next].upperBound
            ranges.remove(at: next)
        case (true, false): ranges[next - 1] = ranges[next - 1].lowerBound...number
        case (false, true): ranges[next] = number...ranges[next].upperBound
        case (false, false): ranges.insert(number...number, at: next)
        }
        return true
    }

    /// The index of the first range that begins behind a number.
    private func nextRange(behind number: UInt64) -> Int {
        // Most numbers come in order.
        guard let last = ranges.last, number < last.lowerBound else { return ranges.count }
        var low = 0
        var high = ranges.count - 1
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound > number { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The ranges of numbers that are missing from one to another; there is none before the one and
    /// behind the other.
    func holes(from start: UInt64, through end: UInt64) -> [ClosedRange<UInt64>] {
        guard let first, let last else { return start <= end ? [start...end] : [] }
        let before = start < first ? [start...first - 1] : []
        let behind = last < end ? [last + 1...end] : []
        return before
            + zip(ranges, ranges.dropFirst()).map { $0.upperBound + 1...$1.lowerBound - 1 }
            + behind
    }
}

extension UInt64 {
    /// The sum, or the greatest number where a damaged log would have it exceed that.
    func adding(_ other: UInt64) -> UInt64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }

    /// The difference, or 0 where that would be below it.
    func less(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}

extension ClosedRange<UInt64> {
    /// How many numbers it has.
    var size: UInt64 { (upperBound - lowerBound).adding(1) }
}

extension [ClosedRange<UInt64>] {
    /// How many numbers they have.
    var size: UInt64 { reduce(0) { $0.adding($1.size) } }
}
