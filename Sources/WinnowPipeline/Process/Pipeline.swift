// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// The way of a record from the log call to the sinks: in immediate delivery on the caller's thread,
/// and with the kernel when the call returns; in deferred delivery by way of the thread's ring.
package enum Pipeline {
    /// Whether there is a configuration.
    package static var isRunning: Bool { RoutingPlan.isAny }

    /// The records accepted so far.
    package static var accepted: UInt64 { RecordNumbers.last }

    /// The most bytes that ever waited for the worker in the ring of a thread.
    package static var ringHighWater: Int { Int(clamping: RingTable.highWater) }

    /// Puts a configuration in the place of the present one, whose records are delivered first.
    ///
    /// What the old sinks do not take within two seconds is lost, and the new ones are told so. The
    /// old configuration stays in memory, as a thread may be about to use it. One thread at a time.
    package static func install(_ plan: RoutingPlan) {
        Lifecycle.begin()
        TextLayout.learn()
        PrivateHash.prepare()
        ThreadState.rehearse()
        let old = RoutingPlan.current
        // What is in the rings was accepted earlier, and is for the old sinks. Not from within a sink, whose
        // thread may be the worker, which would wait for itself.
        if !ThreadRole.isInsideSink {
            _ = RingReader.flush(until: cwinnow_clock_monotonic() + Bounds.End.sinks)
        }
        if let old {
            RoutingPlan.retired.add(old)
            plan.handOver(after: old)
        }
        // The masks first: a thread that sees the configuration must not see masks that let all through.
        Categories.setLevels(taken: plan.levels, filter: plan.filter)
        PrivacyPolicy.ofParts = plan.privacy
        plan.use()
        DeferredSettings.set(plan.delivery)
        if let old {
            retire(old, for: plan)
            tellExclusions(from: plan)
        }
    }

    /// Makes the thread that has started the log, mostly the program's first, run the handlers of signals even if
    /// its stack is full, in deferred delivery: it may never log.
    ///
    /// MT-Safe; keeps errno.
    package static func prepareThread() {
        if case .deferred = RoutingPlan.current?.delivery { Ending.prepareThread() }
    }

    /// Tells each sink whose log can be verified what earlier configurations kept from it.
    private static func tellExclusions(from plan: RoutingPlan) {
        let earlier = RoutingPlan.earlier
        let numbered = plan.routes.filter { $0.slot.builtInSink?.isNumbered == true }
        Distribution.visit(numbered) { route in
            let tally = plan.exclusion(from: route, after: earlier)
            guard tally.counts.total > 0 else { return }
            let text = "not for this sink, by the configuration then: \(tally.counts)"
            let fields = tally.fields(named: "winnow_excluded")
            route.announce(text, level: .notice, fields: fields)
        }
    }

    /// Has the sinks of a configuration take what waits for them, and close what the next one does not
    /// use.
    private static func retire(_ old: RoutingPlan, for new: RoutingPlan) {
        if !Distribution.flush(within: Bounds.End.sinks, of: old) { abandon(old) }
        for slot in old.routes.flatMap(\.slots) where !new.leads(to: slot) {
            guard let sink = slot.builtInSink, slot.lock.acquire(within: Bounds.sink)
            else { continue }
            sink.close()
            slot.lock.release()
        }
        if !ThreadRole.isInsideSink { new.endHandingOver() }
    }

    /// Counts what waits for the sinks of a configuration as lost, and tells the next one.
    ///
    /// Not from within a sink, which may be one of them: their workers go on with what waits.
    private static func abandon(_ old: RoutingPlan) {
        guard !ThreadRole.isInsideSink else { return }
        let deadline = cwinnow_clock_monotonic() + Bounds.sink
        Distribution.abandon(old.routes, cause: .replaced, until: deadline)
        for route in old.routes {
            guard let report = route.takeUntold(isLast: false) else { continue }
            let text = "\(route.name): \(report.text)"
            News.announce(text, level: .warning, fields: report.fields, fieldsFor: route.name)
        }
    }

    /// Puts a filter in the place of the configuration's; the levels that its routes take hold on.
    ///
    /// Nothing happens before the first configuration. One thread at a time.
    package static func setFilter(_ filter: Filter) {
        guard let plan = RoutingPlan.current else { return }
        Categories.setLevels(taken: plan.levels, filter: filter)
    }

    /// Opens a record on this thread, which is let through; returns where its arguments go, or nil where there is no
    /// room for it.
    ///
    /// MT-Safe; keeps errno.
    package static func open(_ level: Level) -> UnsafeMutableRawPointer? {
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        return unsafe ThreadState.open(level)
    }

    /// Ends the innermost record of this thread, and delivers it or leaves it to the worker.
    ///
    /// The caller has written its header in front of its arguments, except for what is known only now.
    ///
    /// MT-Safe; keeps errno.
    package static func close(_ message: LogMessage.StringInterpolation) {
        if message.mustBeMasked { return close(message.masked) }
        message.close()
        let owner = message.owner
        let start = unsafe owner.map { unsafe Encoder.start(of: $0) } ?? startOfArguments
        unsafe close(start, upTo: message.position, apart: owner)
    }

    /// Ends the innermost record of this thread for something that happened at an earlier time, in nanoseconds since
    /// 1970.
    ///
    /// The clock is the caller's, who keeps it for the next record.
    package static func close(
        _ message: LogMessage.StringInterpolation,
        at time: UInt64,
        by clock: inout StampClock
    ) {
        message.close()
        let owner = message.owner
        let start = unsafe owner.map { unsafe Encoder.start(of: $0) } ?? startOfArguments
        unsafe close(
            start,
            upTo: message.position,
            apart: owner,
            time: { time },
            stamp: { clock.stamp(of: time) }
        )
    }

    /// Ends the innermost record of this thread, whose arguments lie in the buffer of its call and end at the
    /// position.
    ///
    /// MT-Safe; keeps errno.
    package static func close(upTo position: UnsafeMutableRawPointer) {
        unsafe close(startOfArguments, upTo: position, apart: nil)
    }

    /// Ends the innermost record of this thread, which is none after all: it has no number yet.
    ///
    /// MT-Safe; keeps errno.
    package static func discard() {
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        let state = unsafe ThreadState.current
        cwinnow_cursor_disarm()
        guard unsafe state.pointee.depth > 0 else { return unsafe state.pointee.discardInRing() }
        let isWithinRing = unsafe state.pointee.isWithinRing
        if unsafe state.pointee.pop(), !isWithinRing {
            unsafe Distribution.deliverPending(on: state)
        }
    }

    /// Where the arguments of the innermost open record of this thread begin, in the call's buffer.
    private static var startOfArguments: UnsafeMutableRawPointer {
        unsafe cwinnow_cursor_header() + CallHeader.byteCount
    }

    @inline(__always)
    private static func close(
        _ arguments: UnsafeMutableRawPointer,
        upTo position: UnsafeMutableRawPointer,
        apart: DetachedBuffer?,
        time: () -> UInt64 = cwinnow_clock_realtime,
        stamp: () -> UInt64? = { nil }
    ) {
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        let state = unsafe ThreadState.current
        // The message has its arguments: what reports and sinks make below is not for this call.
        cwinnow_cursor_disarm()
        let byteCount = unsafe position - arguments
        guard unsafe state.pointee.depth > 0 else {
            return unsafe state.pointee.closeInRing(
                apart,
                argumentByteCount: byteCount,
                stamp: stamp()
            )
        }
        if unsafe state.pointee.isWithinRing {
            let bytes = unsafe UnsafeRawBufferPointer(start: arguments, count: byteCount)
            return unsafe state.pointee.closeWithinRing(bytes, apart: apart)
        }
        // The call has written the end of it.
        let header = unsafe (cwinnow_cursor_header() - RecordHeader.callOffset)
            .assumingMemoryBound(to: RecordHeader.self)
        unsafe header.pointee.byteCount = UInt64(
            truncatingIfNeeded: RecordHeader.byteCount &+ byteCount
        )
        unsafe header.pointee.timestamp = time()
        unsafe header.pointee.threadID = cwinnow_thread_id()
        unsafe header.pointee.processID = cwinnow_process_id()
        unsafe Distribution.accept(header, arguments: arguments, on: state)
        // Only a call within this one leaves something.
        guard unsafe state.pointee.pop() else { return unsafe state.pointee.call.pointee.end() }
        unsafe Distribution.deliverPending(on: state)
    }

    /// Has calls that write to rings ask for the fields of their task when they close, from now on.
    ///
    /// MT-Safe.
    package static func askAtCloses() {
        RingTable.askAtCloses()
    }

    /// Wakes the worker, which sleeps while a record was published; keeps errno.
    ///
    /// MT-Safe.
    package static func wakeWorker() {
        RingReader.wake()
    }

    /// Waits until what was accepted is delivered or reported lost, or until the time has passed.
    ///
    /// Returns whether nothing waits any more. Not from within a sink. MT-Safe.
    package static func flush(within nanoseconds: UInt64) -> Bool {
        UntoldChild.adoptIfNeeded()
        return Distribution.flush(within: nanoseconds)
    }

    /// Returns the cell of a category, made at the first call with the name.
    ///
    /// Where memory has run out it is the cell of the default category. MT-Safe.
    package static func category(named name: String) -> Categories.Cell {
        let (cell, count) = Categories.find(name)
        // As soon as there is a log that no call is inside of.
        if count > 0, isRunning, !isInsideSink, let text = Categories.takeWarning(of: count) {
            News.announce(text, level: .warning)
        }
        return cell
    }

    /// Opens the destinations of all sinks anew; what cannot be is said on the other routes.
    ///
    /// Not from within a sink. MT-Safe.
    package static func reopen() {
        UntoldChild.adoptIfNeeded()
        Control.reopen()
    }

    /// Whether a signal that ends the process waits until what is queued is delivered; what is caught
    /// already stays caught.
    ///
    /// MT-Safe.
    package static func setCatchesSignals(_ catches: Bool) {
        Ending.setWanted(catches)
    }

    /// The accounts of all routes, in their order.
    ///
    /// MT-Safe.
    package static var accounts: [SinkStatus] {
        UntoldChild.adoptIfNeeded()
        return RoutingPlan.current?.routes.map(\.status) ?? []
    }

    /// Registers what a floor above does at the end of the process and around a fork; call it before that floor
    /// takes a lock which a fork by another thread could leave held in the child.
    ///
    /// One thread at a time.
    package static func register(_ steps: ProcessSteps) {
        // What is handed over late waits where a signal handler cannot see it.
        if steps.beforeEnd != nil { cwinnow_ending_note_pending(true) }
        Registration.add(steps)
        Lifecycle.begin()
    }

    /// Has what was registered run at a signal that ends the process, which is caught from now on if signals
    /// are: again in the child of a fork.
    ///
    /// MT-Safe.
    package static func prepareForEnd() {
        Ending.prepare(isForExit: true)
    }

    /// Has the sinks take what waits, for the last time: before a process ends by _exit(2).
    ///
    /// MT-Safe.
    package static func end() {
        UntoldChild.adoptIfNeeded()
        EndWalk.run(to: .killed)
    }

    /// Has the sinks take what waits at an exit, before its handlers end what some sinks need; the end
    /// follows in its turn.
    ///
    /// MT-Safe.
    package static func endEarly() {
        UntoldChild.adoptIfNeeded()
        EndWalk.run(to: .early)
    }

    /// Whether a sink runs on this thread now, or the thread reads the rings.
    ///
    /// MT-Safe.
    package static var isInsideSink: Bool { ThreadRole.isInsideSink }
}
