// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What others see of the call in which a thread brings records to the sinks.
///
/// A flush waits for the calls that were open when it began. Each thread that has logged has one of these; what
/// a thread leaves is taken by the next one, and nothing is ever freed, so that anybody may look at all of them
/// at any time.
@unsafe
struct OpenCall: ~Copyable {
    /// A line of the processor's cache and the one that is fetched with it, as only the thread writes to it often.
    private static let byteCount = 128
    /// The address of the one that was made last.
    private static let latest = Atomic<UInt>(0)

    /// The number that a record of the call has at least; 0 while the thread brings none to a sink.
    private let number = Atomic<UInt64>(0)
    private let isTaken = Atomic<Bool>(true)
    /// The one that was made before.
    private let earlier: UnsafeMutablePointer<OpenCall>?

    private init(after earlier: UnsafeMutablePointer<OpenCall>?) {
        unsafe self.earlier = unsafe earlier
    }

    private static var first: UnsafeMutablePointer<OpenCall>? {
        unsafe UnsafeMutablePointer(bitPattern: latest.load(ordering: .acquiring))
    }

    /// Returns one for a thread.
    static func take() -> UnsafeMutablePointer<OpenCall> {
        var next = unsafe first
        while let call = unsafe next {
            if unsafe call.pointee.isTaken.exchange(true, ordering: .acquiringAndReleasing) == false
            {
                return unsafe call
            }
            unsafe next = unsafe call.pointee.earlier
        }
        return unsafe make()
    }

    private static func make() -> UnsafeMutablePointer<OpenCall> {
        let size = unsafe byteCount
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: size)
        let place = unsafe memory.bindMemory(to: OpenCall.self, capacity: 1)
        while true {
            let earlier = unsafe first
            unsafe place.initialize(to: OpenCall(after: earlier))
            let outcome = unsafe latest.compareExchange(
                expected: UInt(bitPattern: earlier),
                desired: UInt(bitPattern: place),
                ordering: .acquiringAndReleasing
            )
            if outcome.exchanged { return unsafe place }
        }
    }

    /// Leaves it to another thread.
    func leave() {
        unsafe number.store(0, ordering: .releasing)
        unsafe isTaken.store(false, ordering: .releasing)
    }

    /// Whether a call is open.
    var isOpen: Bool { unsafe number.load(ordering: .relaxed) != 0 }

    /// Begins a call, before its record gets its number.
    @inline(__always)
    func begin() {
        unsafe number.store(RecordNumbers.last &+ 1, ordering: .releasing)
    }

    /// Ends the call, all of whose records are with the sinks or wait for them.
    @inline(__always)
    func end() {
        unsafe number.store(0, ordering: .releasing)
    }

    /// Whether a call is open that may have a record with the number or an earlier one.
    static func isAny(upTo last: UInt64) -> Bool {
        var next = unsafe first
        while let call = unsafe next {
            let number = unsafe call.pointee.number.load(ordering: .sequentiallyConsistent)
            if number != 0, number <= last { return true }
            unsafe next = unsafe call.pointee.earlier
        }
        return false
    }

    /// Forgets the calls of the parent's other threads: in the child of a fork.
    static func forgetParent(except own: UnsafeMutablePointer<OpenCall>?) {
        var next = unsafe first
        while let call = unsafe next {
            if unsafe call != own { unsafe call.pointee.leave() }
            unsafe next = unsafe call.pointee.earlier
        }
        unsafe own?.pointee.end()
    }
}
