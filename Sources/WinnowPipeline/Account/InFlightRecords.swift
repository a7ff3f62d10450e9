// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// The records that have a number and that a thread is bringing to a sink which it may not return from, or
/// will bring to it when another such sink has returned.
///
/// The end of the process counts those that are left as lost. Each is taken out once: by the thread, which
/// enters in the account what became of it, or by the end.
///
/// The first of them takes no lock. Who takes it out of its place otherwise holds the lock of the account, so
/// that the thread, which finds it gone, waits before it gives up the header.
@safe
struct InFlightRecords: ~Copyable, @unchecked Sendable {
    // SAFETY: whoever adds a header keeps it as it is until it has taken it out, which fails if somebody else
    // has. The others are read and written with the lock held.

    private let lock: Lock
    /// The address of the first header; 0 if there is none.
    private let first = Atomic<UInt>(0)
    private let others: UnsafeMutablePointer<[UnsafePointer<RecordHeader>]>
    private let otherCount = Atomic<Int>(0)

    /// Makes those of an account with this lock.
    init(_ lock: Lock) {
        self.lock = lock
        unsafe others = .allocate(capacity: 1)
        unsafe others.initialize(to: unsafe [])
        // So that seldom any is freed, which a thread that a fault has stopped may have allocated.
        unsafe others.pointee.reserveCapacity(32)
    }

    deinit {
        unsafe others.deinitialize(count: 1)
        unsafe others.deallocate()
    }

    /// How many there are.
    ///
    /// May be read without the lock.
    var count: Int {
        let isFirst = first.load(ordering: .acquiring) != 0
        return otherCount.load(ordering: .acquiring) + (isFirst ? 1 : 0)
    }

    /// Adds a record.
    func add(_ header: UnsafePointer<RecordHeader>) {
        if unsafe addAsFirst(header) { return }
        lock.withLock { unsafe addToOthers(header) }
    }

    /// Takes a record out; returns false if the end has, or if it is one of the parent's in the child of a
    /// fork.
    func remove(_ header: UnsafePointer<RecordHeader>) -> Bool {
        if unsafe removeFirst(header) { return true }
        return lock.withLock { unsafe removeFromOthers(header) }
    }

    /// The same with the lock held.
    func removeLocked(_ header: UnsafePointer<RecordHeader>) -> Bool {
        unsafe removeFirst(header) || removeFromOthers(header)
    }

    /// Whether nobody has taken it out.
    func contains(_ header: UnsafePointer<RecordHeader>) -> Bool {
        if unsafe isFirst(header) { return true }
        return lock.withLock { unsafe others.pointee.contains(header) }
    }

    /// The same with the lock held, for as long as that is.
    func containsLocked(_ header: UnsafePointer<RecordHeader>) -> Bool {
        unsafe isFirst(header) || others.pointee.contains(header)
    }

    /// Whether one is left that has this number, or an earlier one; with the lock held.
    func isAny(upTo sequence: UInt64) -> Bool {
        unsafe gathered().contains { unsafe $0.pointee.sequence <= sequence }
    }

    /// Takes all out, and calls the body with each; with the lock held.
    func takeAll(_ body: (RecordHeader) -> Void) {
        unsafe gathered().forEach { unsafe body($0.pointee) }
        // A thread that has added some may have stopped with a lock of malloc(3): nothing is freed.
        unsafe others.pointee.removeAll(keepingCapacity: true)
        otherCount.store(0, ordering: .releasing)
    }

    /// Forgets the parent's: in the child of a fork.
    func forgetParent() {
        takeAll { _ in }
    }

    /// All of them, of which none can be taken out while the lock is held.
    private func gathered() -> [UnsafePointer<RecordHeader>] {
        let address = first.load(ordering: .acquiring)
        if let header = unsafe UnsafePointer<RecordHeader>(bitPattern: address) {
            // In this order, as others look without the lock whether there is any.
            unsafe addToOthers(header)
            if !replaceFirst(address, by: 0) { unsafe others.pointee.removeLast() }
            unsafe otherCount.store(others.pointee.count, ordering: .releasing)
        }
        return unsafe others.pointee
    }

    private func isFirst(_ header: UnsafePointer<RecordHeader>) -> Bool {
        first.load(ordering: .acquiring) == UInt(bitPattern: header)
    }

    @inline(__always)
    private func addAsFirst(_ header: UnsafePointer<RecordHeader>) -> Bool {
        replaceFirst(0, by: UInt(bitPattern: header))
    }

    @inline(__always)
    private func removeFirst(_ header: UnsafePointer<RecordHeader>) -> Bool {
        replaceFirst(UInt(bitPattern: header), by: 0)
    }

    private func addToOthers(_ header: UnsafePointer<RecordHeader>) {
        unsafe others.pointee.append(header)
        unsafe otherCount.store(others.pointee.count, ordering: .releasing)
    }

    private func removeFromOthers(_ header: UnsafePointer<RecordHeader>) -> Bool {
        guard let index = unsafe others.pointee.firstIndex(of: header) else { return false }
        unsafe others.pointee.remove(at: index)
        unsafe otherCount.store(others.pointee.count, ordering: .releasing)
        return true
    }

    @inline(__always)
    private func replaceFirst(_ expected: UInt, by desired: UInt) -> Bool {
        first.compareExchange(
            expected: expected,
            desired: desired,
            ordering: .acquiringAndReleasing
        ).exchanged
    }
}
