// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Brings a record to the routes that want it.
package enum Distribution {
    /// Gives a record its numbers and delivers it, by the configuration that the number belongs to.
    ///
    /// A record whose level no route takes was let through by the previous or the next configuration. It is
    /// dropped as if filtered.
    ///
    /// The call is open until ``deliverPending(on:)``, or until the caller ends it where nothing is pending.
    ///
    /// It is inlined, down to the call of the sink: see `cwinnow_descriptor_write_once` for what a
    /// function costs that is open while a system call is made.
    @inline(__always)
    static func accept(
        _ header: UnsafeMutablePointer<RecordHeader>,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>
    ) {
        guard let plan = unsafe RoutingPlan.unmanagedCurrent else {
            LastWords.say("a record was logged while the log was starting, and is lost")
            return
        }
        let level = unsafe header.pointee.level
        let isWanted = unsafe plan._withUnsafeGuaranteedRef { $0.levels.contains(level) }
        guard isWanted else { return }
        guard ThreadRole.activeSinks == 0 else {
            return unsafe postpone(header, arguments: arguments, on: state, knowing: plan)
        }
        unsafe state.pointee.call.pointee.begin()
        let run = RunIdentity.known
        unsafe header.pointee.run = run != 0 ? run : identify(on: state)
        let owner = unsafe number(header, knowing: plan)
        unsafe deliver(header, arguments: arguments, on: state, by: owner)
    }

    /// Gives a record its numbers; returns the configuration that it belongs to.
    @inline(__always)
    private static func number(
        _ header: UnsafeMutablePointer<RecordHeader>,
        knowing plan: Unmanaged<RoutingPlan>
    ) -> Unmanaged<RoutingPlan> {
        unsafe RecordNumbers.number(&header.pointee)
        let (level, number) = unsafe (header.pointee.level, header.pointee.levelSequence)
        return unsafe RoutingPlan.owner(of: level, number, knowing: plan)
    }

    /// Returns the identity of the run; a call that the end of the process holds back has no number, and is not
    /// open meanwhile.
    @inline(never)
    private static func identify(on state: UnsafeMutablePointer<ThreadState>) -> UInt32 {
        unsafe state.pointee.call.pointee.end()
        defer { unsafe state.pointee.call.pointee.begin() }
        return RunIdentity.current
    }

    /// Keeps a copy of a record that a sink logs while it runs on this thread, and may not return.
    @inline(never)
    private static func postpone(
        _ header: UnsafeMutablePointer<RecordHeader>,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        knowing plan: Unmanaged<RoutingPlan>
    ) {
        // The call within which the sink runs; a worker has none.
        let isWithinCall = unsafe state.pointee.call.pointee.isOpen
        if !isWithinCall { unsafe state.pointee.call.pointee.begin() }
        unsafe header.pointee.run = isWithinCall ? RunIdentity.current : identify(on: state)
        let owner = unsafe number(header, knowing: plan)
        let record = unsafe PendingRecord(
            header.pointee,
            arguments: arguments,
            plan: owner,
            excluded: ThreadRole.activeSinks
        )
        unsafe state.pointee.pending.append(record)
        ThreadRole.postponedCount += 1
    }

    /// Delivers a record that has its numbers, while no sink runs on this thread.
    ///
    /// - Parameters:
    ///   - header: The header of the record, which stays as it is meanwhile.
    ///   - arguments: Its encoding.
    ///   - state: The thread's state.
    ///   - plan: The configuration by which it has its numbers.
    ///   - excluded: The sinks that must not get it, by their bits.
    @inline(__always)
    private static func deliver(
        _ header: UnsafePointer<RecordHeader>,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        by plan: Unmanaged<RoutingPlan>,
        excluded: UInt64 = 0
    ) {
        unsafe plan._withUnsafeGuaranteedRef { plan in
            unsafe distribute(
                header,
                arguments: arguments,
                on: state,
                to: plan,
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
        to plan: RoutingPlan,
        without excluded: UInt64
    ) {
        // SAFETY: nothing else decodes on this thread until the routes have returned.
        let content = unsafe withUnsafeMutablePointer(to: &state.pointee.content) { unsafe $0 }
        let record = unsafe Record(header: header, content: content)
        var isDecoded = false
        let decode = {
            if isDecoded { return }
            isDecoded = true
            unsafe Self.decodeApart(arguments, by: plan.privacy, into: &content.pointee)
        }
        unsafe plan.table.builtIn.forEach { entry in
            guard unsafe entry.levels.contains(header.pointee.level),
                unsafe excluded == 0 || admits(header, at: entry, without: excluded)
            else { return }
            ThreadRole.activeSinks = unsafe active(without: excluded) | entry.bit
            let now = unsafe excluded == 0 ? header.pointee.timestamp : 0
            unsafe entry.route._withUnsafeGuaranteedRef { route in
                let waits = unsafe route.accept(record, arguments: arguments, at: now, decode)
                ThreadRole.activeSinks = 0
                if waits { route.slot.worker.wake() }
            }
        }
        if unsafe plan.table.foreignLevels.contains(header.pointee.level) {
            unsafe callForeign(record, arguments, on: state, by: plan, excluded, isDecoded)
        } else if isDecoded {
            // It may be long until the next record is decoded: memory that only this one needed goes now.
            unsafe content.pointee.shrink()
        }
    }

    /// Decodes a record for a sink of Winnow's; a function of its own, so that a record that none decodes prepares
    /// nothing for it.
    @inline(never)
    private static func decodeApart(
        _ arguments: UnsafeRawPointer,
        by policy: PrivacyPolicy,
        into content: inout RecordContent
    ) {
        unsafe decode(arguments, by: policy, into: &content)
    }

    /// Decodes a record in the place of the last one.
    @inline(__always)
    static func decode(
        _ arguments: UnsafeRawPointer,
        by policy: PrivacyPolicy,
        into content: inout RecordContent
    ) {
        content.removeAll()
        unsafe decodeRecord(arguments, policy: policy, into: &content)
    }

    /// The bits of the sinks that are taken to run on this thread beside the one that gets the record.
    ///
    /// What sinks log about what sinks have logged goes nowhere: it would multiply with them.
    @inline(__always)
    static func active(without excluded: UInt64) -> UInt64 {
        excluded == 0 ? 0 : excluded | ThreadRole.bitOfAll
    }

    /// Delivers what sinks have logged, to the other sinks.
    ///
    /// This terminates, because what the sinks log meanwhile is excluded from all sinks.
    @inline(never)
    static func deliverPending(on state: UnsafeMutablePointer<ThreadState>) {
        // An open call that this one is within may take long, or wait for these.
        guard ThreadRole.activeSinks == 0 else { return }
        // What is lost of these is no copy of the record that the thread's call has logged.
        let lostCopies = ThreadRole.lostCopies
        defer { ThreadRole.lostCopies = lostCopies }
        while unsafe !state.pointee.pending.isEmpty {
            let next = unsafe state.pointee.pending.removeFirst()
            unsafe deliver(
                next.header,
                arguments: next.arguments,
                on: state,
                by: next.plan,
                excluded: next.excluded
            )
            withExtendedLifetime(next) {}
        }
        unsafe state.pointee.call.pointee.end()
    }

    /// Has the body work with each route, in the name of its sink: what the sink logs meanwhile is
    /// put off, and delivered to the others afterwards.
    ///
    /// Does nothing from within a sink, which would wait for itself. Cancellation of the thread is put off
    /// until the end, because a cancelled thread would keep the locks of the sinks.
    static func visit(_ routes: [SinkRoute], _ body: (SinkRoute) -> Void) {
        let state = unsafe ThreadState.current
        guard ThreadRole.activeSinks == 0 else { return }
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        let call = unsafe state.pointee.suspend()
        defer { unsafe state.pointee.resume(call) }
        for route in routes {
            ThreadRole.activeSinks = route.slot.bit
            body(route)
            ThreadRole.activeSinks = 0
        }
        unsafe deliverPending(on: state)
    }
}
