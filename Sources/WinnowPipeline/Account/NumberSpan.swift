// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// The numbers that belong to a configuration: of each level all behind its start, up to the start of the next
/// one.
///
/// Which configuration takes a record is decided by the number that the record has among the records of its level,
/// and by nothing else: so what a configuration has accepted is a difference of two numbers, also if threads log
/// while the next one takes its place.
///
/// The next one is in use from the moment when it is named here. Only then the starts are read off the numbers,
/// by whoever needs them first: a thread that has got a number and finds no next one knows that the number lies
/// before each start that is read later.
package class NumberSpan: @unchecked Sendable {
    // SAFETY: all variables are atomic.

    /// What a start is until it is decided.
    private static let undecided = UInt64.max

    /// The last number of each level that is none of its own.
    private let starts = LevelCounters(undecided)
    /// The address of the next one, which is never freed; 0 while there is none.
    private let address = Atomic<UInt>(0)

    init() {}

    /// Whether it is the last one.
    final var isLatest: Bool {
        @inline(__always) get { address.load(ordering: .sequentiallyConsistent) == 0 }
    }

    /// The next one; nil while it is the last.
    final var next: NumberSpan? {
        let address = address.load(ordering: .sequentiallyConsistent)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        // SAFETY: an object is at the address, which `begin` has retained for good.
        return unsafe Unmanaged<NumberSpan>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Begins it, and so ends the one before it; one thread at a time.
    final func begin(after last: NumberSpan?) {
        if let last {
            let pointer = unsafe Unmanaged.passRetained(self).toOpaque()
            last.address.store(UInt(bitPattern: pointer), ordering: .sequentiallyConsistent)
        }
        for level in Level.allCases { _ = start(of: level) }
    }

    /// The last number of a level that is none of its own, of one that has begun.
    final func start(of level: Level) -> UInt64 {
        let known = starts[level]
        guard known == Self.undecided else { return known }
        _ = starts.replace(Self.undecided, by: RecordNumbers.last(of: level), at: level)
        return starts[level]
    }

    /// The last of its numbers of a level that was given.
    final func end(of level: Level) -> UInt64 {
        // In this order: a number that is given later may be the next one's.
        let last = RecordNumbers.last(of: level)
        return next?.start(of: level) ?? last
    }

    /// Whether a number of a level is one of its own.
    final func contains(_ number: UInt64, of level: Level) -> Bool {
        number <= end(of: level) && number > starts[level]
    }

    /// How many of its numbers of a level were given.
    final func count(of level: Level) -> UInt64 {
        count(of: level, upTo: end(of: level))
    }

    /// How many of its numbers of a level were given up to one of them.
    final func count(of level: Level, upTo end: UInt64) -> UInt64 {
        // None of one that has not begun.
        let start = starts[level]
        return end > start ? end - start : 0
    }

    /// Has it own all numbers that are given from now on, or none at all if another one does: in the child of a
    /// fork, where the first number is 1.
    final func forgetParent() {
        for level in Level.allCases { starts[level] = 0 }
    }
}
