// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// What a thread needs to log: buffers for open records, and memory to decode them.
///
/// It is reached by a raw pointer, as a class would cost an exclusivity check for each access, and
/// is freed when its thread ends. About 18 KiB a thread that has logged.
@safe
struct ThreadState: ~Copyable {
    /// The bytes of a buffer.
    ///
    /// A message whose texts take more than what the encoder's reserve leaves of it, 12 KiB, goes
    /// to the heap.
    static let bufferSize = 16 * 1_024

    /// Counts the states of the process.
    private static let count = Atomic<UInt64>(0)

    /// The state of this thread; nil until it has logged.
    static var known: UnsafeMutablePointer<ThreadState>? {
        @inline(__always) get {
            unsafe cwinnow_thread_state()?.assumingMemoryBound(to: ThreadState.self)
        }
    }

    /// The call in which the thread brings records to sinks.
    let call = unsafe OpenCall.take()
    /// The number of open log calls of the thread that write to its buffers.
    var depth: Int { Int(cwinnow_cursor_depth()) }
    /// The ring of the thread, once it has logged where delivery is deferred.
    var ring: UnsafeMutablePointer<cwinnow_ring>?
    /// The ring that the innermost open call writes to, where it took the long way there.
    var longCall: UnsafeMutablePointer<cwinnow_ring>?
    /// Where the outermost open call writes to, while others are open within it.
    private(set) var outer = unsafe SuspendedCall()
    /// A buffer for each open log call; the first is kept.
    private var buffers: [UnsafeMutableRawPointer] = unsafe []
    /// Where the arguments begin in the first of them, once there is one.
    private var firstStart: UnsafeMutablePointer<UInt8>?
    /// The decoded record.
    var content = RecordContent()
    /// The records that sinks have logged on this thread and that are yet to be delivered.
    var pending: [PendingRecord] = []

    deinit {
        cwinnow_cursor_set_depth(0)
        cwinnow_cursor_set_alone(nil)
        if let ring = unsafe ring { unsafe Self.close(ring) }
        // A thread that ends within a sink, as by pthread_exit(3), leaves a call open for ever, whose records the
        // end of the process counts.
        pending.forEach { $0.keepForGood() }
        guard ThreadRole.activeSinks == 0 else { return }
        unsafe call.pointee.leave()
        unsafe buffers.forEach { unsafe $0.deallocate() }
    }

    /// The state of this thread, made at the first call.
    static var current: UnsafeMutablePointer<ThreadState> {
        @inline(__always) get {
            if let known = unsafe known { return unsafe known }
            return unsafe make()
        }
    }

    @inline(never)
    private static func make() -> UnsafeMutablePointer<ThreadState> {
        let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
        unsafe state.initialize(to: ThreadState())
        unsafe cwinnow_thread_set_state(state) { ended in
            let state = unsafe ended.assumingMemoryBound(to: ThreadState.self)
            unsafe state.deinitialize(count: 1)
            unsafe state.deallocate()
        }
        // Tokens of different threads differ, as a stale message may cross over.
        cwinnow_cursor_seed(count.add(1, ordering: .relaxed).newValue &<< 40)
        Ending.admitThread()
        return unsafe state
    }

    /// Does what the first call of a thread does, at the start: Swift's runtime makes a generic type when it is
    /// first used, for which it needs ten kilobytes of stack, more than a thread that logs may have left.
    static func rehearse() {
        let state = unsafe current
        _ = unsafe state.pointee.push()
        _ = unsafe state.pointee.pop()
    }

    /// Takes a buffer for one more open log call; returns where its arguments begin.
    mutating func push() -> UnsafeMutableRawPointer {
        if depth == 0 { unsafe outer = suspend() }
        if unsafe depth == buffers.count {
            unsafe buffers.append(.allocate(byteCount: Self.bufferSize, alignment: 16))
        }
        let base = unsafe buffers[depth]
        // A call within another one, and any call of a thread that has a ring, must end the long way.
        if unsafe depth > 0 || ring != nil { cwinnow_cursor_set_alone(nil) }
        cwinnow_cursor_set_depth(Int64(depth + 1))
        let start = unsafe select(base)
        if depth == 1 { unsafe firstStart = unsafe start.assumingMemoryBound(to: UInt8.self) }
        return unsafe start
    }

    /// Whether the outermost open call writes to the ring, as then the calls within it do too.
    var isWithinRing: Bool { unsafe outer.ring != nil }

    /// Ends the innermost log call and returns to the buffer of the outer one.
    ///
    /// Returns whether there may have been others within it.
    @inline(__always)
    mutating func pop() -> Bool {
        guard cwinnow_cursor_is_alone() else {
            popTheLongWay()
            return true
        }
        cwinnow_cursor_set_depth(0)
        return false
    }

    @inline(never)
    private mutating func popTheLongWay() {
        let depth = depth - 1
        cwinnow_cursor_set_depth(Int64(depth))
        guard depth == 0 else {
            _ = unsafe select(buffers[depth - 1])
            return
        }
        while unsafe buffers.count > 1 { unsafe buffers.removeLast().deallocate() }
        unsafe resume(outer)
        unsafe outer = unsafe SuspendedCall()
        // What a sink logs stays pending when the call ends.
        guard unsafe ring == nil, ThreadRole.activeSinks == 0 else { return }
        _ = unsafe select(buffers[0])
        unsafe cwinnow_cursor_set_alone(firstStart)
    }

    /// Has the calls of this thread go the long way until ``resume(_:)``, which gets what is returned.
    mutating func suspend() -> SuspendedCall {
        var call = unsafe SuspendedCall()
        if let open = unsafe openRing {
            unsafe call.ring = unsafe open
            unsafe call.start = unsafe cwinnow_cursor_start()
            unsafe call.limit = unsafe cwinnow_cursor_limit()
            unsafe longCall = nil
        }
        cwinnow_ring_set(nil, nil)
        cwinnow_cursor_set_alone(nil)
        return unsafe call
    }

    /// Goes on with the call, the long way.
    mutating func resume(_ call: SuspendedCall) {
        guard let open = unsafe call.ring else { return }
        unsafe longCall = unsafe open
        unsafe cwinnow_cursor_set_buffer(call.start, call.limit)
    }

    private func select(_ base: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        let start = unsafe base + RecordHeader.byteCount
        unsafe cwinnow_cursor_set_buffer(
            start.assumingMemoryBound(to: UInt8.self),
            (base + Self.bufferSize).assumingMemoryBound(to: UInt8.self)
        )
        return unsafe start
    }
}

/// The call that writes to this thread's ring, while calls within it, or a sink, take its place.
@unsafe
struct SuspendedCall {
    /// The ring; nil where no call was open, or none that writes to a ring.
    fileprivate(set) var ring: UnsafeMutablePointer<cwinnow_ring>?
    fileprivate var start: UnsafeMutablePointer<UInt8>?
    fileprivate var limit: UnsafeMutablePointer<UInt8>?

    init() {
        unsafe ring = nil
        unsafe start = nil
        unsafe limit = nil
    }
}
