// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Brings a record to the routes that want it.
enum Delivery {
    /// Gives a record its numbers and delivers it, by one configuration.
    ///
    /// A record whose level no route takes was let through by the previous or the next configuration. It is
    /// dropped as if filtered: with a number, it would be missing in the log.
    ///
    /// It is inlined, down to the call of the sink: see `cwinnow_descriptor_write_once` for what a
    /// function costs that is open while a system call is made.
    @inline(__always)
    static func accept(
        _ header: UnsafeMutablePointer<RecordHeader>,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>
    ) {
        guard let topology = unsafe Pipeline.unmanagedTopology else {
            Lifecycle.lastWords("a record was logged while the log was starting, and is lost")
            return
        }
        let level = unsafe header.pointee.level
        let isWanted = unsafe topology._withUnsafeGuaranteedRef { $0.levels.contains(level) }
        guard isWanted else { return }
        unsafe RecordNumbers.number(&header.pointee)
        unsafe deliver(header, arguments: arguments, on: state, by: topology)
    }

    /// Delivers a record that has its numbers, or keeps it until the sink that logged it has returned.
    ///
    /// - Parameters:
    ///   - header: The header of the record, which stays as it is meanwhile.
    ///   - arguments: Its encoding.
    ///   - state: The thread's state.
    ///   - topology: The configuration by which it has its numbers.
    ///   - excluded: The outlets of that which must not get it, by their marks.
    @inline(__always)
    static func deliver(
        _ header: UnsafePointer<RecordHeader>,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        by topology: Unmanaged<Topology>,
        excluded: UInt64 = 0
    ) {
        guard unsafe state.pointee.activeOutlets == 0 else {
            unsafe postpone(header.pointee, arguments: arguments, on: state, by: topology)
            return
        }
        unsafe topology._withUnsafeGuaranteedRef { topology in
            unsafe distribute(
                header,
                arguments: arguments,
                on: state,
                to: topology,
                without: excluded
            )
        }
    }

    /// Gives the record to each route that wants it; decodes it only if a sink needs that, and once.
    @inline(__always)
    private static func distribute(
        _ header: UnsafePointer<RecordHeader>,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        to topology: Topology,
        without excluded: UInt64
    ) {
        // What sinks log about what sinks have logged goes nowhere: it would multiply with them.
        let active = excluded == 0 ? 0 : excluded | Topology.markOfAll
        // SAFETY: nothing else decodes on this thread until the routes have returned.
        let content = unsafe withUnsafeMutablePointer(to: &state.pointee.content) { unsafe $0 }
        let record = unsafe Record(header: header, content: content)
        var isDecoded = false
        unsafe topology.stops.all.forEach { stop in
            guard unsafe stop.levels.contains(header.pointee.level) else { return }
            let mark = unsafe stop.mark
            unsafe stop.route._withUnsafeGuaranteedRef { route in
                guard excluded & (mark | Topology.markOfAll) == 0 else {
                    let cause: LossCause = excluded & mark == 0 ? .nested : .reentrant
                    return unsafe route.refuse(header.pointee, cause: cause)
                }
                unsafe state.pointee.activeOutlets = active | mark
                let now = unsafe excluded == 0 ? header.pointee.timestamp : 0
                let waits = unsafe route.accept(record, arguments: arguments, at: now) {
                    if isDecoded { return }
                    isDecoded = true
                    unsafe content.pointee.removeAll()
                    unsafe decodeRecord(
                        arguments,
                        policy: topology.privacy,
                        into: &content.pointee
                    )
                }
                unsafe state.pointee.activeOutlets = 0
                if waits { route.outlet.worker.wake() }
            }
        }
        // It may be long until the next record is decoded: memory that only this one needed goes now.
        if isDecoded { unsafe content.pointee.shrink() }
    }

    /// Keeps a copy of a record that a sink has logged while it runs on this thread.
    @inline(never)
    private static func postpone(
        _ header: RecordHeader,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        by topology: Unmanaged<Topology>
    ) {
        let offset = RecordHeader.byteCount
        let size = Int(header.byteCount)
        let buffer = DetachedBuffer(capacity: size)
        unsafe (buffer.base + offset).copyMemory(from: arguments, byteCount: size - offset)
        let excluded = unsafe state.pointee.activeOutlets
        unsafe state.pointee.pending.append(
            PendingRecord(header: header, buffer: buffer, topology: topology, excluded: excluded)
        )
    }

    /// Delivers what sinks have logged, to the other sinks.
    ///
    /// This terminates, because what the sinks log meanwhile is excluded from all sinks.
    @inline(never)
    static func deliverPending(on state: UnsafeMutablePointer<ThreadState>) {
        guard unsafe state.pointee.depth == 0 && state.pointee.activeOutlets == 0 else { return }
        // What is lost of these is no copy of the record that the thread's call has logged.
        let lostCopies = unsafe state.pointee.lostCopies
        defer { unsafe state.pointee.lostCopies = lostCopies }
        while unsafe !state.pointee.pending.isEmpty {
            let next = unsafe state.pointee.pending.removeFirst()
            unsafe withUnsafePointer(to: next.header) { header in
                unsafe deliver(
                    header,
                    arguments: next.buffer.base + RecordHeader.byteCount,
                    on: state,
                    by: next.topology,
                    excluded: next.excluded
                )
            }
        }
    }

    /// Has the body work with each route, in the name of its sink: what the sink logs meanwhile is
    /// put off, and delivered to the others afterwards.
    ///
    /// Does nothing from within a sink, which would wait for itself. Cancellation of the thread is put off
    /// until the end, because a cancelled thread would keep the locks of the sinks.
    static func visit(_ routes: some Sequence<(UInt64, Route)>, _ body: (Route) -> Void) {
        let state = unsafe ThreadState.current
        guard unsafe state.pointee.activeOutlets == 0 else { return }
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        let call = unsafe state.pointee.suspend()
        defer { unsafe state.pointee.resume(call) }
        for (mark, route) in routes {
            unsafe state.pointee.activeOutlets = mark
            body(route)
            unsafe state.pointee.activeOutlets = 0
        }
        unsafe deliverPending(on: state)
    }
}
