// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// A sink and the lock that serializes its calls, shared by all routes that lead to the sink.
@safe
package final class SinkSlot: @unchecked Sendable {
    package let sink: any Sink
    /// The sink, where it is one of Winnow's own.
    let builtInSink: (any BuiltInSink)?
    /// Whether the sink is one of the program's own, which may not keep the laws.
    var isForeign: Bool { builtInSink == nil }
    /// The sink, where it takes batches.
    let batchSink: (any BatchSink)?
    /// Who delivers what waits for the sink.
    let worker: ServiceThread
    let lock = Lock(.sink)
    /// The bit that stands for the sink in the configurations that lead to it; 0 before the first one.
    ///
    /// Set before the configuration is used.
    var bit: UInt64 = 0
    /// Whether the destination was asked to make room, at the end of the process; with the lock held.
    var hasMadeRoom = false
    // SAFETY: what the pointer leads to is never written again.
    let callee: UnsafeMutablePointer<Callee>

    /// The sink behind a pointer, so that a call does no reference counting.
    struct Callee: ~Copyable {
        private let sink: any Sink
        /// The sink, where it is called directly; else one that is never called, as in a route.
        private let directSink: any DirectSink
        private let isDirect: Bool

        fileprivate init(_ sink: any Sink, _ direct: (any DirectSink)?) {
            self.sink = sink
            directSink = direct ?? NoSink.shared
            isDirect = direct != nil
        }

        /// Has the sink take a record, with the lock held.
        ///
        /// - Parameters:
        ///   - record: The record.
        ///   - now: The time, in nanoseconds since 1970, where it was just read; else 0.
        /// - Returns: Why it does not take it; nil where it does.
        @inline(__always)
        borrowing func take(_ record: borrowing Record, at now: UInt64) -> SinkError? {
            guard !isDirect else { return directSink.take(record, at: now) }
            // Nobody else could cancel the only thread.
            guard !cwinnow_thread_is_only() else { return write(record) }
            return writeUncancelled(record)
        }

        @inline(__always)
        private borrowing func write(_ record: borrowing Record) -> SinkError? {
            do throws(SinkError) {
                try sink.write(record)
            } catch {
                return error
            }
            return nil
        }

        /// Writes with cancellation put off, which a direct sink does itself.
        ///
        /// A thread that is cancelled within a call of the sink would keep the lock forever.
        @inline(never)
        private borrowing func writeUncancelled(_ record: borrowing Record) -> SinkError? {
            let cancellation = cwinnow_cancellation_put_off()
            defer { cwinnow_cancellation_restore(cancellation) }
            return write(record)
        }

        /// Has the sink take a record by its encoding, with the lock held.
        @inline(__always)
        borrowing func take(encoded record: EncodedRecord, at now: UInt64) -> DirectResult {
            unsafe isDirect ? directSink.take(encoded: record, at: now) : .undecided
        }
    }

    package init(_ sink: any Sink) {
        self.sink = sink
        builtInSink = sink as? any BuiltInSink
        batchSink = builtInSink?.batchSink
        worker = builtInSink == nil ? Self.makeWorker() : Self.sharedWorker
        unsafe callee = .allocate(capacity: 1)
        unsafe callee.initialize(to: Callee(sink, builtInSink?.directSink))
    }

    deinit {
        unsafe callee.deinitialize(count: 1)
        unsafe callee.deallocate()
    }

    /// What serves the sinks of a thread: see `SinkWorker`.
    // SAFETY: set once, before anything waits for a sink.
    nonisolated(unsafe) static var serve: (@Sendable (ServiceThread) -> Void)?

    /// The thread that serves the sinks that come with Winnow.
    static let sharedWorker = makeWorker()

    private static func makeWorker() -> ServiceThread {
        ServiceThread("winnow-retry") { unsafe serve?($0) }
    }

    /// Returns the slot of a sink of the program's own.
    ///
    /// A sink has one slot for as long as the program runs, as a replaced configuration may still be calling it.
    package static func shared(by sink: any Sink) -> SinkSlot {
        table.slot(of: sink)
    }

    private static let table = Table()

    /// The lock that guards them, for fork(2).
    static var tableLock: Lock { table.lock }

    private final class Table: @unchecked Sendable {
        // SAFETY: every access to the slots holds the lock.
        let lock = Lock(.foreignSinks)
        /// An array, as a program has few, and the type of a dictionary takes 0.05 ms to make.
        private var slots: [SinkSlot] = []

        func slot(of sink: any Sink) -> SinkSlot {
            lock.withLock {
                if let slot = slots.first(where: { $0.sink === sink }) { return slot }
                let slot = SinkSlot(sink)
                slots.append(slot)
                return slot
            }
        }
    }
}
