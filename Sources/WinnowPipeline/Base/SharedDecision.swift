// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The decision that log calls read, without a lock.
///
/// One that was replaced is freed when the next one is, if no call reads then. So there are never more than were
/// replaced while some call read.
final class SharedDecision: @unchecked Sendable {
    // SAFETY: whoever replaces a decision holds the lock of the registry.
    private var replaced: [LevelDecision] = []
    private let address: Atomic<UInt>
    private let readers = Atomic<Int>(0)

    init(_ decision: LevelDecision) {
        address = Atomic(Self.retained(decision))
    }

    private static func retained(_ decision: LevelDecision) -> UInt {
        unsafe UInt(bitPattern: Unmanaged.passRetained(decision).toOpaque())
    }

    /// Runs the body with the decision, which is there until the body returns.
    ///
    /// MT-Safe, as long as the body waits for nothing.
    func read<Result>(_ body: (LevelDecision) -> Result) -> Result {
        // In this order for all threads, as that of `replace(with:)`: who reads the old one has been counted.
        readers.add(1, ordering: .sequentiallyConsistent)
        defer { readers.subtract(1, ordering: .sequentiallyConsistent) }
        let address = address.load(ordering: .sequentiallyConsistent)
        // SAFETY: a retained decision is at the address from the beginning on.
        return unsafe Unmanaged<LevelDecision>
            .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
            ._withUnsafeGuaranteedRef(body)
    }

    /// Puts a decision in the place of the present one, with the lock of the registry held.
    func replace(with decision: LevelDecision) {
        let old = address.exchange(Self.retained(decision), ordering: .sequentiallyConsistent)
        // SAFETY: as above; the count of `init` or of the last call goes to the array.
        let pointer = unsafe UnsafeRawPointer(bitPattern: old).unsafelyUnwrapped
        replaced.append(unsafe Unmanaged<LevelDecision>.fromOpaque(pointer).takeRetainedValue())
        if readers.load(ordering: .sequentiallyConsistent) == 0 { replaced = [] }
    }

    /// Forgets the calls of the parent's other threads: in the child of a fork.
    func forgetParent() {
        readers.store(0, ordering: .relaxed)
    }
}
