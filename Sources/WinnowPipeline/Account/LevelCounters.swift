// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// A number for each level, which threads read while others write it.
@safe
struct LevelCounters: ~Copyable, @unchecked Sendable {
    // SAFETY: never freed while it is used, and only used by atomic operations.

    private static let count = 8

    private let numbers: UnsafeMutablePointer<Atomic<UInt64>>

    /// Makes one number for each level.
    init(_ number: UInt64) {
        unsafe numbers = .allocate(capacity: Self.count)
        for index in 0..<Self.count { unsafe (numbers + index).initialize(to: Atomic(number)) }
    }

    deinit {
        unsafe numbers.deinitialize(count: Self.count)
        unsafe numbers.deallocate()
    }

    /// The number of a level.
    subscript(level: Level) -> UInt64 {
        @inline(__always) get {
            unsafe numbers[Int(level.rawValue)].load(ordering: .sequentiallyConsistent)
        }
        @inline(__always) nonmutating set {
            unsafe numbers[Int(level.rawValue)].store(newValue, ordering: .releasing)
        }
    }

    /// Puts a number in the place of another one, unless it is no longer that; returns whether it was.
    @inline(__always)
    func replace(_ expected: UInt64, by desired: UInt64, at level: Level) -> Bool {
        unsafe numbers[Int(level.rawValue)].compareExchange(
            expected: expected,
            desired: desired,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Adds to the number of a level; returns what it was before.
    @inline(__always)
    func add(_ count: UInt64, at level: Level) -> UInt64 {
        unsafe numbers[Int(level.rawValue)].wrappingAdd(count, ordering: .sequentiallyConsistent)
            .oldValue
    }
}
