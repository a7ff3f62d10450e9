// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// The rings of all threads.
///
/// Threads add their rings, and the worker removes them. Nobody else reads the table, except the end of
/// the process and the child of a fork.
enum RingTable {
    /// The most rings: a thread beyond them delivers at once.
    static let maximumCount = 1_024

    @safe
    private final class State: @unchecked Sendable {
        // SAFETY: every access to the array holds the lock.
        let lock = Lock(.ringTable)
        var rings: [UnsafeMutablePointer<cwinnow_ring>] = unsafe []
        /// Whether a call asks when it closes: see `cwinnow_ring_ask_at_close`.
        var asksAtClose = false

        init() {
            // At the start, whose thread has room for what Swift's runtime does for the first one.
            unsafe rings.reserveCapacity(64)
        }
    }

    private static let state = State()
    private static let changes = Atomic<UInt64>(0)
    /// How many there are: read without the lock, which a thread that a fault has stopped may have.
    private static let count = Atomic<Int>(0)
    private static let mostWaiting = Atomic<UInt64>(0)

    /// The lock that guards the table, for fork(2).
    static var lock: Lock { state.lock }

    /// Counts the changes of the table.
    static var changeCount: UInt64 { changes.load(ordering: .acquiring) }

    /// The most bytes that were found waiting in a ring since the process began.
    static var highWater: UInt64 { mostWaiting.load(ordering: .relaxed) }

    /// Notes the bytes that wait in a ring: on the worker's thread.
    static func noteWaiting(_ byteCount: UInt64) {
        if byteCount > highWater { mostWaiting.store(byteCount, ordering: .relaxed) }
    }

    /// Adds a ring; false where there are too many.
    static func add(_ ring: UnsafeMutablePointer<cwinnow_ring>) -> Bool {
        state.lock.withLock {
            guard unsafe state.rings.count < maximumCount else { return false }
            guard unsafe cwinnow_ending_add_ring(ring) else { return false }
            unsafe state.rings.append(ring)
            count.store(unsafe state.rings.count, ordering: .releasing)
            if state.asksAtClose { unsafe cwinnow_ring_ask_at_close(ring) }
            changes.add(1, ordering: .releasing)
            return true
        }
    }

    /// Has the calls of all threads ask when they close.
    static func askAtCloses() {
        state.lock.withLock {
            state.asksAtClose = true
            unsafe state.rings.forEach { unsafe cwinnow_ring_ask_at_close($0) }
        }
    }

    /// Takes a ring out that nobody uses any more, and gives its memory back.
    static func remove(_ ring: UnsafeMutablePointer<cwinnow_ring>) {
        state.lock.withLock {
            unsafe state.rings.removeAll { unsafe $0 == ring }
            count.store(unsafe state.rings.count, ordering: .releasing)
            unsafe cwinnow_ending_remove_ring(ring)
            changes.add(1, ordering: .releasing)
        }
        unsafe free(ring)
    }

    private static func free(_ ring: UnsafeMutablePointer<cwinnow_ring>) {
        if let nested = unsafe cwinnow_ring_nested(ring) { unsafe RecorderRegion.free(nested) }
        unsafe RecorderRegion.free(ring)
    }

    /// The records that lie in the rings, or found no room there and are in no account; 0 where the
    /// table is not to be had at once, as a thread that a fault has stopped may have it.
    static var unreadCount: UInt64 {
        // With the lock, as the worker gives rings back.
        guard state.lock.acquire(within: Bounds.politeness) else { return 0 }
        defer { state.lock.release() }
        return cwinnow_ending_unread()
    }

    /// Whether there is none.
    static var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Whether everything is read of what a thread has published.
    static func isRead(_ ring: UnsafeMutablePointer<cwinnow_ring>) -> Bool {
        if let nested = unsafe cwinnow_ring_nested(ring),
            unsafe cwinnow_ring_published(nested) != cwinnow_ring_read(nested)
        {
            return false
        }
        return unsafe cwinnow_ring_published(ring) == cwinnow_ring_read(ring)
    }

    /// Returns the rings as they are now; none if a thread that a fault has stopped has the table, which is noticed
    /// when the time has passed.
    static func rings(within nanoseconds: UInt64 = .max) -> [UnsafeMutablePointer<cwinnow_ring>] {
        guard state.lock.acquire(within: nanoseconds) else { return unsafe [] }
        defer { state.lock.release() }
        return unsafe state.rings
    }

    /// Empties the ring of this thread: in the child of a fork.
    static func empty(_ ring: UnsafeMutablePointer<cwinnow_ring>) {
        unsafe cwinnow_ring_reset(ring)
        if let nested = unsafe cwinnow_ring_nested(ring) { unsafe cwinnow_ring_reset(nested) }
        unsafe ring.pointee.thread = cwinnow_thread_id()
    }

    /// Forgets the rings of the parent's other threads: in the child of a fork.
    static func forgetParent(exceptOwn own: UnsafeMutablePointer<cwinnow_ring>?) {
        state.lock.reset()
        unsafe state.rings.forEach { ring in
            guard unsafe ring != own else { return }
            unsafe cwinnow_ending_remove_ring(ring)
            unsafe free(ring)
        }
        unsafe state.rings.removeAll()
        changes.add(1, ordering: .releasing)
        mostWaiting.store(0, ordering: .relaxed)
        if let own = unsafe own { unsafe state.rings.append(own) }
        count.store(unsafe state.rings.count, ordering: .relaxed)
    }
}
