// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What the worker knows of one thread's ring, and of the ring of its calls within calls.
///
/// A call within a call ends before the outer one, whose open record occupies the main ring. So it writes
/// to a second ring, and its record holds the position of the main ring, which says after which record it
/// comes. Stamps are not compared for this, so a clock that is set back cannot reorder a thread.
@unsafe
struct RingSource {
    let ring: UnsafeMutablePointer<cwinnow_ring>
    private var nested: UnsafeMutablePointer<cwinnow_ring>?
    /// The next record of the ring, and the end of what is delivered in this round.
    private var position: UInt64
    private var end: UInt64
    private var nestedPosition: UInt64 = 0
    private var nestedEnd: UInt64 = 0
    private var isNestedNext = false
    /// Where the last round ended, and the latest stamp of what is new in this one: see
    /// ``look(until:)``.
    private var known: UInt64
    private var nestedKnown: UInt64 = 0
    private var latest: UInt64 = 0
    /// Whether the next record, which is published, is left to the next round.
    private(set) var isPostponed = false
    /// The thread has ended, and everything that it left is in this round.
    private var isThreadEnded = false
    /// The stamp of the next record; the greatest where there is none.
    private(set) var stamp = UInt64.max
    /// The end of the storage whose pages are there, as far as the worker knows.
    private var provided: UInt64 = 0
    /// The losses that were seen.
    private var seen = LevelCounts()

    init(_ ring: UnsafeMutablePointer<cwinnow_ring>) {
        unsafe self.ring = unsafe ring
        unsafe nested = nil
        unsafe position = unsafe cwinnow_ring_read(ring)
        unsafe end = unsafe position
        unsafe known = unsafe position
    }

    /// Whether the thread has ended, and everything that it left is in this round.
    var isClosed: Bool { unsafe isThreadEnded && !isPostponed }

    /// The bytes that wait in the ring at the round's beginning.
    var waitingByteCount: UInt64 { unsafe end - position }

    /// Whether all that the thread has published was delivered, all that it has lost told, and it
    /// goes on.
    var isNothingLeft: Bool {
        guard unsafe !cwinnow_ring_is_closed(ring), unsafe RingTable.isRead(ring) else {
            return false
        }
        return Level.allCases.allSatisfy { level in
            unsafe cwinnow_ring_lost(ring, level.rawValue)
                == cwinnow_ring_told(ring, level.rawValue)
        }
    }

    /// Begins a round with what is published now and was logged until the stamp at which the round begins.
    ///
    /// Without this limit, a record could come before an older one: rings are read one after the other, and
    /// what is logged meanwhile is seen in the later ones only. The limit does not apply to what was already
    /// published when the last round began, because clocks may be set back.
    mutating func look(until latest: UInt64) {
        unsafe self.latest = latest
        unsafe known = unsafe end
        unsafe nestedKnown = unsafe nestedEnd
        unsafe isThreadEnded = unsafe cwinnow_ring_is_closed(ring)
        for level in Level.allCases {
            unsafe seen[level] = unsafe cwinnow_ring_lost(ring, level.rawValue)
        }
        // The main ring first: who sees a record there sees what came before it in the other.
        unsafe end = unsafe cwinnow_ring_published(ring)
        if unsafe nested == nil { unsafe adoptNested() }
        if let nested = unsafe nested { unsafe nestedEnd = unsafe cwinnow_ring_published(nested) }
        unsafe findNext()
    }

    private mutating func adoptNested() {
        guard let made = unsafe cwinnow_ring_nested(ring) else { return }
        unsafe nested = unsafe made
        unsafe nestedPosition = unsafe cwinnow_ring_read(made)
        unsafe nestedEnd = unsafe nestedPosition
    }

    private mutating func findNext() {
        unsafe findFirst()
        let isKnown = unsafe isNestedNext ? nestedPosition < nestedKnown : position < known
        unsafe isPostponed = unsafe stamp > latest && stamp != .max && !isKnown
        if unsafe isPostponed { unsafe stamp = .max }
    }

    private mutating func findFirst() {
        unsafe stamp = .max
        unsafe position = unsafe RingStorage(of: ring).skipFiller(from: position, to: end)
        let next = unsafe position < end ? cwinnow_ring_address(ring, position) : nil
        if let nested = unsafe nested {
            unsafe nestedPosition = unsafe RingStorage(of: nested).skipFiller(
                from: nestedPosition,
                to: nestedEnd
            )
            if unsafe nestedPosition < nestedEnd {
                let address = unsafe UnsafeRawPointer(cwinnow_ring_address(nested, nestedPosition))
                // The records that precede the outer one may not be part of this round.
                if unsafe RingRecord.outerPosition(at: address) <= position {
                    unsafe isNestedNext = true
                    unsafe stamp = unsafe RingRecord.stamp(at: address)
                    return
                }
            }
        }
        unsafe isNestedNext = false
        if let next = unsafe next { unsafe stamp = RingRecord.stamp(at: next) }
    }

    /// Takes the next record, which must exist, and further ones up to a stamp, but no more than there are
    /// places; they stay in the ring until ``release()``.
    ///
    /// Returns how many were taken.
    @inline(__always)
    mutating func take(
        atMost limit: Int,
        upTo bound: UInt64,
        to places: UnsafeMutablePointer<RingRecord>
    ) -> Int {
        // Few threads ever log within a call.
        unsafe nestedPosition < nestedEnd
            ? takeOneOfBoth(to: places) : takeRun(atMost: limit, upTo: bound, to: places)
    }

    /// Takes records where the ring for calls within calls has none.
    private mutating func takeRun(
        atMost limit: Int,
        upTo bound: UInt64,
        to places: UnsafeMutablePointer<RingRecord>
    ) -> Int {
        // In variables of its own, as each record that is written might change what lies in memory.
        let storage = unsafe RingStorage(of: ring)
        let end = unsafe end
        let known = unsafe known
        var next = unsafe position
        var count = 0
        var following = UInt64.max
        repeat {
            let address = unsafe storage.address(of: next)
            let record = unsafe RingRecord(at: address, in: ring, isNested: false)
            unsafe (places + count).initialize(to: record)
            count &+= 1
            next = unsafe storage.skipFiller(from: next &+ record.ringByteCount, to: end)
            guard next < end else {
                following = .max
                break
            }
            following = unsafe RingRecord.stamp(at: storage.address(of: next))
        } while unsafe count < limit && following <= bound && (following <= latest || next < known)
        unsafe position = next
        unsafe cwinnow_ring_set_taken(ring, next)
        unsafe isNestedNext = false
        unsafe isPostponed = unsafe following > latest && following != .max && next >= known
        unsafe stamp = unsafe isPostponed ? .max : following
        return count
    }

    @inline(never)
    private mutating func takeOneOfBoth(to place: UnsafeMutablePointer<RingRecord>) -> Int {
        let from = unsafe isNestedNext ? nested.unsafelyUnwrapped : ring
        let start = unsafe isNestedNext ? nestedPosition : position
        let record = unsafe RingRecord(
            at: cwinnow_ring_address(from, start),
            in: from,
            isNested: isNestedNext
        )
        unsafe place.initialize(to: record)
        let following = unsafe start + record.ringByteCount
        unsafe cwinnow_ring_set_taken(from, following)
        if unsafe isNestedNext {
            unsafe nestedPosition = following
        } else {
            unsafe position = following
        }
        unsafe findNext()
        return 1
    }

    /// Gives the storage of the records that were taken back to the thread.
    func release() {
        unsafe cwinnow_ring_set_read(ring, position)
        if let nested = unsafe nested { unsafe cwinnow_ring_set_read(nested, nestedPosition) }
    }

    /// Has the pages provided that the thread writes to next, in the first lap: as many as it has filled.
    ///
    /// So a burst that is no longer than all before takes no page fault, and a ring takes no more than twice the
    /// memory that its thread has used.
    mutating func provideAhead() {
        guard unsafe provided < cwinnow_ring_capacity(ring) else { return }
        unsafe provided = unsafe cwinnow_ring_provide(ring, provided, 2 * end)
    }

    /// Enters the losses in the accounts that no account has, as far as the round has seen them.
    ///
    /// Returns whether there were any.
    func tellLosses() -> Bool {
        guard unsafe RingLosses.enter(from: ring, upTo: seen) else { return false }
        // A loss means that the ring was full, counting the unused bytes at the end of its lap.
        unsafe RingTable.noteWaiting(cwinnow_ring_capacity(ring))
        return true
    }
}

/// Where the records of a ring lie.
@unsafe
private struct RingStorage {
    private let base: UnsafeMutablePointer<UInt8>
    private let mask: UInt64

    @inline(__always)
    init(of ring: UnsafeMutablePointer<cwinnow_ring>) {
        unsafe base = unsafe ring.pointee.base
        unsafe mask = unsafe cwinnow_ring_capacity(ring) &- 1
    }

    /// As `cwinnow_ring_address`.
    @inline(__always)
    func address(of position: UInt64) -> UnsafeMutablePointer<UInt8> {
        unsafe base + Int(truncatingIfNeeded: position & mask)
    }

    /// The position of the next record: behind the filler that may lie at the position.
    @inline(__always)
    func skipFiller(from position: UInt64, to end: UInt64) -> UInt64 {
        guard position < end else { return position }
        let word = unsafe UnsafeRawPointer(address(of: position)).load(as: UInt64.self)
        return word & UInt64(CWINNOW_RING_FILLER) == 0
            ? position : position &+ word & UInt64(CWINNOW_RING_SIZE)
    }
}
