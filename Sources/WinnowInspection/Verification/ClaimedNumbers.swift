// SPDX-License-Identifier: Apache-2.0

/// How many of the missing numbers are explained by reports: each report explains one number for each
/// record that it counts, none outside of its range, and none that another report explains.
struct ClaimedNumbers {
    /// A report whose range has begun, and how many numbers it may have yet.
    private struct Open {
        let last: UInt64
        var left: UInt64
    }

    private(set) var count: UInt64 = 0
    /// The reports whose range begins behind the number that is looked at, the next one last.
    private var waiting: [NumberedRecord.Claim]
    /// Those whose range has begun, the one that ends first last: it takes the number, as the
    /// others may have later ones.
    private var open: [Open] = []
    private let start: UInt64

    /// Has reports explain as many of the missing numbers as they can.
    ///
    /// - Parameters:
    ///   - holes: The missing numbers, in order.
    ///   - claims: What reports say of the level.
    ///   - start: Where the log begins: what lies before it is not among the missing numbers.
    init(_ holes: [ClosedRange<UInt64>], by claims: [NumberedRecord.Claim], from start: UInt64) {
        self.start = start
        waiting = claims.filter(\.hasRange).sorted { $0.first > $1.first }
        for hole in holes { explain(hole) }
        // Those that do not say their range may have any.
        let others = claims.filter { !$0.hasRange }
            .reduce(0 as UInt64) { $0.adding($1.count) }
        count = count.adding(min(others, holes.size.less(count)))
    }

    private mutating func explain(_ hole: ClosedRange<UInt64>) {
        var next = hole.lowerBound
        while true {
            begin(at: next)
            guard let claim = open.last else {
                guard let first = waiting.last?.first, first <= hole.upperBound else { return }
                next = first
                continue
            }
            // From the next range on another one may have to take them.
            let end = min(hole.upperBound, claim.last, waiting.last.map { $0.first - 1 } ?? .max)
            let taken = min((end - next).adding(1), claim.left)
            count = count.adding(taken)
            open[open.count - 1].left -= taken
            guard taken <= hole.upperBound - next else { return }
            next += taken
        }
    }

    /// Opens the reports whose range begins at a number or before, and drops those that have no more.
    private mutating func begin(at number: UInt64) {
        while let claim = waiting.last, claim.first <= number {
            waiting.removeLast()
            let place = open.lastIndex { $0.last >= claim.last }.map { $0 + 1 } ?? 0
            open.insert(Open(last: claim.last, left: claim.count(from: start)), at: place)
        }
        while let claim = open.last, claim.last < number || claim.left == 0 { open.removeLast() }
    }
}

extension NumberedRecord.Claim {
    /// Whether it says which numbers its records had, first and last.
    fileprivate var hasRange: Bool { first > 0 && first <= last }
}
