// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The long way of a call to the ring of its thread: what the inlined one leaves out.
extension ThreadState {
    /// The bytes of the ring for calls within calls.
    private static let nestedByteCount: UInt64 = 64 * 1_024

    /// Opens a call of this thread: in its ring, or in a buffer of its own where delivery is
    /// immediate, the call stands within another, or a sink runs.
    ///
    /// Returns where its arguments go; nil where the ring has no room, and the record is lost.
    static func open(_ level: Level) -> UnsafeMutableRawPointer? {
        UntoldChild.adoptIfNeeded()
        let state = unsafe current
        if cwinnow_delivery_epoch() == 0, unsafe state.pointee.ring == nil {
            return unsafe state.pointee.push()
        }
        let isWithin = unsafe state.pointee.depth > 0 || state.pointee.openRing != nil
        guard !isWithin, !ThreadRole.isInsideSink, let ring = unsafe state.pointee.usableRing()
        else {
            return unsafe state.pointee.push()
        }
        guard unsafe awaitRoom(in: ring, for: level.rawValue) else {
            // The ring may have moved on to its next lap anyway, whose limit the cursor does not know yet: so
            // the next call goes the long way, too.
            cwinnow_ring_set(nil, nil)
            unsafe state.pointee.lose(level.rawValue, in: ring)
            return nil
        }
        let start = unsafe ring.pointee.cursor + CallHeader.byteCount
        cwinnow_ring_set(nil, nil)
        unsafe state.pointee.longCall = unsafe ring
        unsafe cwinnow_cursor_set_buffer(start, cwinnow_ring_limit(ring))
        return UnsafeMutableRawPointer(start)
    }

    /// The ring that the innermost open call of the thread writes to; nil where none does.
    var openRing: UnsafeMutablePointer<cwinnow_ring>? {
        unsafe longCall ?? (cwinnow_ring_is_open() ? cwinnow_ring_opened() : nil)
    }

    /// The ring that the call goes to; nil where it is to be delivered at once.
    ///
    /// While the ring holds records the thread stays with it, so that they stay in order; not when nobody reads it
    /// any more.
    private mutating func usableRing() -> UnsafeMutablePointer<cwinnow_ring>? {
        Recorder.beginInChild()
        let epoch = cwinnow_delivery_epoch()
        if let known = unsafe ring {
            let isTaken = RingTurn.isTakenByEnd
            if unsafe cwinnow_recorder_number() != known.pointee.recorder {
                unsafe Self.close(known)
                unsafe ring = nil
                return unsafe usableRing()
            }
            if unsafe !isTaken && (known.pointee.epoch == epoch || !RingTable.isRead(known)) {
                return unsafe known
            }
            let isRight = unsafe cwinnow_ring_capacity(known) == DeferredSettings.ringByteCount
            if isTaken || epoch == 0 || !isRight {
                unsafe Self.close(known)
                unsafe ring = nil
            }
        }
        guard epoch != 0, RingReader.begin() else { return nil }
        if unsafe ring == nil {
            let byteCount = DeferredSettings.ringByteCount
            guard let made = unsafe Self.makeRing(byteCount, isNested: false) else { return nil }
            guard unsafe RingTable.add(made) else {
                unsafe RecorderRegion.free(made)
                return nil
            }
            unsafe ring = unsafe made
            cwinnow_cursor_set_alone(nil)
            Ending.prepareThread()
        }
        unsafe ring?.pointee.epoch = epoch
        return unsafe ring
    }

    /// Makes a ring, in the file of the recorder where the process records: nil where there is no memory for it, so that
    /// the thread delivers at once.
    private static func makeRing(
        _ byteCount: UInt64,
        isNested: Bool
    ) -> UnsafeMutablePointer<cwinnow_ring>? {
        let recorder = cwinnow_recorder_number()
        let made =
            unsafe recorder == 0
            ? cwinnow_ring_make(byteCount)
            : RecorderRegion.takeRing(byteCount, isNested: isNested)
        unsafe made?.pointee.recorder = recorder
        return unsafe made
    }

    /// Gives the ring to the worker, which frees it when it has delivered what is in there.
    static func close(_ ring: UnsafeMutablePointer<cwinnow_ring>) {
        cwinnow_ring_set(nil, nil)
        unsafe cwinnow_ring_mark_closed(ring)
        cwinnow_worker_wake()
    }

    /// Waits for room for a record of the level, as long as the settings say; but not where the
    /// worker has done nothing since a wait in vain.
    private static func awaitRoom(
        in ring: UnsafeMutablePointer<cwinnow_ring>,
        for level: UInt8
    ) -> Bool {
        unsafe wait(in: ring) { unsafe cwinnow_ring_refill(ring, level) }
    }

    /// Waits for the worker until the body says that there is room.
    private static func wait(
        in ring: UnsafeMutablePointer<cwinnow_ring>,
        _ hasRoom: () -> Bool
    ) -> Bool {
        if hasRoom() { return true }
        let patience = DeferredSettings.patience
        guard patience > 0, unsafe cwinnow_ring_read(ring) != ring.pointee.stuck_at else {
            return false
        }
        let deadline = cwinnow_clock_monotonic() + patience
        var pause = Bounds.Caller.shortestRingPause
        RingReader.wake()
        while !hasRoom() {
            let now = cwinnow_clock_monotonic()
            guard now < deadline else {
                unsafe ring.pointee.stuck_at = unsafe cwinnow_ring_read(ring)
                return false
            }
            cwinnow_thread_pause(min(pause, deadline - now))
            pause = min(pause * 2, Bounds.Caller.longestRingPause)
        }
        return true
    }

    /// Ends the open call that writes to the ring.
    ///
    /// - Parameters:
    ///   - apart: The message that holds the arguments, where they are not in the ring.
    ///   - argumentByteCount: The bytes of the arguments.
    ///   - stamp: When it was logged; nil for now.
    mutating func closeInRing(
        _ apart: DetachedBuffer?,
        argumentByteCount: Int,
        stamp: UInt64? = nil
    ) {
        guard let ring = unsafe openRing else { return }
        unsafe longCall = nil
        let place = UnsafeMutableRawPointer(unsafe ring.pointee.cursor)
        if let apart {
            guard unsafe Self.awaitRoom(beside: ring, argumentByteCount) else {
                let level = unsafe place.load(as: CallHeader.self).place.level
                unsafe cwinnow_ring_set(ring, nil)
                return unsafe lose(level, in: ring)
            }
            let body = CallHeader.byteCount
            let end = unsafe RingRecord.put(apart, argumentByteCount, at: place, body: body)
            unsafe place.storeBytes(
                of: stamp ?? cwinnow_stamp(),
                toByteOffset: 8,
                as: UInt64.self
            )
            unsafe cwinnow_ring_publish(ring, end)
            unsafe cwinnow_ring_set(ring, nil)
        } else {
            let end = unsafe place + CallHeader.byteCount + argumentByteCount
            _ = unsafe cwinnow_ring_close(ring, end, stamp ?? cwinnow_stamp())
        }
        if cwinnow_worker_state() & 1 != 0 { RingReader.wake() }
    }

    /// Ends the open call that writes to the ring, where the next one begins then.
    mutating func discardInRing() {
        guard let ring = unsafe openRing else { return }
        unsafe longCall = nil
        unsafe cwinnow_ring_set(ring, nil)
    }

    /// Ends a call within a call that writes to the ring: its record goes to the second ring.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - apart: The message that holds them, where it is one of its own.
    @inline(never)
    mutating func closeWithinRing(_ arguments: UnsafeRawBufferPointer, apart: DetachedBuffer?) {
        let call = unsafe cwinnow_cursor_header().load(as: CallHeader.self)
        unsafe leaveToWorker(call, arguments: arguments, apart: apart)
        _ = pop()
    }

    private mutating func leaveToWorker(
        _ call: CallHeader,
        arguments: UnsafeRawBufferPointer,
        apart: DetachedBuffer?
    ) {
        guard let ring = unsafe outer.ring else { return }
        let body = unsafe RingRecord.nestedHeaderByteCount
        let isApart = apart != nil || body + arguments.count > Int(CWINNOW_RING_LEAD)
        guard let nested = unsafe Self.nested(of: ring),
            unsafe Self.awaitRoom(in: nested, for: call.place.level),
            unsafe !isApart || Self.awaitRoom(beside: nested, arguments.count)
        else {
            return unsafe lose(call.place.level, in: ring)
        }
        let place = UnsafeMutableRawPointer(unsafe nested.pointee.cursor)
        var call = call
        call.ringWord = UInt64(body + arguments.count)
        call.stamp = cwinnow_stamp()
        unsafe place.storeBytes(of: call, as: CallHeader.self)
        unsafe RingRecord.putOuterPosition(cwinnow_ring_position(ring), at: place)
        if isApart {
            let message = unsafe apart ?? Self.copy(arguments)
            let end = unsafe RingRecord.put(message, arguments.count, at: place, body: body)
            unsafe cwinnow_ring_publish(nested, end)
        } else {
            unsafe UnsafeMutableRawBufferPointer(start: place + body, count: arguments.count)
                .copyMemory(from: arguments)
            unsafe cwinnow_ring_publish(nested, place + body + arguments.count)
        }
        if cwinnow_worker_state() & 1 != 0 { RingReader.wake() }
    }

    /// Counts a record for which the ring has no room: no route gets it.
    private mutating func lose(_ level: UInt8, in ring: UnsafeMutablePointer<cwinnow_ring>) {
        ThreadRole.lostCopies += UInt64(RoutingPlan.maximumRoutes)
        unsafe cwinnow_ring_lose(ring, level, cwinnow_clock_realtime())
        RingReader.wake()
    }

    private static func copy(_ arguments: UnsafeRawBufferPointer) -> DetachedBuffer {
        let copy = DetachedBuffer(capacity: RecordHeader.byteCount + arguments.count)
        let start = unsafe Encoder.start(of: copy)
        unsafe UnsafeMutableRawBufferPointer(start: start, count: arguments.count)
            .copyMemory(from: arguments)
        return copy
    }

    /// Waits until a message may lie apart from the ring.
    private static func awaitRoom(
        beside ring: UnsafeMutablePointer<cwinnow_ring>,
        _ argumentByteCount: Int
    ) -> Bool {
        let byteCount = UInt64(RecordHeader.byteCount + argumentByteCount)
        return unsafe wait(in: ring) { unsafe cwinnow_ring_take_apart(ring, byteCount) }
    }

    private static func nested(
        of ring: UnsafeMutablePointer<cwinnow_ring>
    ) -> UnsafeMutablePointer<cwinnow_ring>? {
        if let known = unsafe cwinnow_ring_nested(ring) { return unsafe known }
        guard let made = unsafe makeRing(nestedByteCount, isNested: true) else { return nil }
        unsafe cwinnow_ring_set_nested(ring, made)
        return unsafe made
    }

    /// Forgets the ring, which is the parent's: in the child of a fork that nobody told of it.
    mutating func leaveRing() {
        unsafe ring = nil
        unsafe longCall = nil
        cwinnow_ring_set(nil, nil)
        cwinnow_cursor_set_alone(nil)
    }

    /// Makes the next call of this thread go the long way, which starts a worker: in the child of a fork.
    static func forgetParent() {
        ThreadRole.readsRings = false
        guard let state = unsafe known else { return }
        if unsafe state.pointee.openRing != nil { return }
        cwinnow_ring_set(nil, nil)
    }
}
