// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Brings a record to the routes that want it.
enum Delivery {
    /// Delivers a record, or keeps it until the sink that logged it has returned.
    ///
    /// - Parameters:
    ///   - header: The header of the record.
    ///   - arguments: Its encoding.
    ///   - state: The thread's state.
    ///   - excluded: The routes that must not get it: bit *n* for the *n*th.
    static func deliver(
        _ header: RecordHeader,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        excluded: UInt64 = 0
    ) {
        guard let topology = Pipeline.topology else {
            Lifecycle.lastWords("a record was logged while the log was starting, and is lost")
            return
        }
        guard unsafe state.pointee.activeRoutes == 0 else {
            unsafe postpone(header, arguments: arguments, on: state)
            return
        }
        unsafe state.pointee.content.removeAll()
        unsafe RecordDecoder.decode(
            arguments,
            policy: topology.privacy,
            into: &state.pointee.content
        )
        var mustRetry = false
        for index in topology.routes.indices
        where topology.routes[index].levels.contains(header.level) {
            let route = topology.routes[index]
            if excluded & 1 &<< UInt64(index) != 0 {
                route.refuse(header, cause: .reentrant)
                continue
            }
            unsafe state.pointee.activeRoutes = excluded | 1 &<< UInt64(index)
            // SAFETY: nothing else decodes on this thread until the route has returned.
            let content = unsafe withUnsafePointer(to: &state.pointee.content) { unsafe $0 }
            let record = unsafe Record(header: header, content: content)
            let waits = unsafe route.accept(record, arguments: arguments)
            unsafe state.pointee.activeRoutes = 0
            mustRetry = mustRetry || waits
        }
        if mustRetry { RetryWorker.wake() }
    }

    /// Keeps a copy of a record that a sink has logged while it runs on this thread.
    private static func postpone(
        _ header: RecordHeader,
        arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>
    ) {
        let offset = RecordHeader.byteCount
        let size = Int(header.byteCount)
        let buffer = DetachedBuffer(capacity: size)
        unsafe (buffer.base + offset).copyMemory(from: arguments, byteCount: size - offset)
        let excluded = unsafe state.pointee.activeRoutes
        unsafe state.pointee.pending.append(
            PendingRecord(header: header, buffer: buffer, excluded: excluded)
        )
    }

    /// Delivers what sinks have logged, to the other sinks, and what those log, to the rest.
    ///
    /// It ends, as each round excludes one route more.
    static func deliverPending(on state: UnsafeMutablePointer<ThreadState>) {
        guard unsafe state.pointee.depth == 0 && state.pointee.activeRoutes == 0 else { return }
        while unsafe !state.pointee.pending.isEmpty {
            let next = unsafe state.pointee.pending.removeFirst()
            unsafe deliver(
                next.header,
                arguments: next.buffer.base + RecordHeader.byteCount,
                on: state,
                excluded: next.excluded
            )
        }
    }

    /// Delivers what waits, round by round, until nothing does or the time has passed.
    static func flush(within nanoseconds: UInt64) -> Bool {
        let state = unsafe ThreadState.current
        // A sink that flushes the system would wait for itself.
        guard unsafe state.pointee.activeRoutes == 0 else { return false }
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        while true {
            var isSettled = true
            for (mark, route) in Pipeline.openRoutes {
                // What the sink logs meanwhile is put off, and delivered to the others below.
                unsafe state.pointee.activeRoutes = mark
                isSettled = flush(route, until: deadline) && isSettled
                unsafe state.pointee.activeRoutes = 0
            }
            unsafe deliverPending(on: state)
            if isSettled { return true }
            if cwinnow_clock_monotonic() >= deadline { return false }
            RetryWorker.pause(5_000_000)
        }
    }

    /// Delivers what waits for one sink, for as long as it takes records.
    private static func flush(_ route: Route, until deadline: UInt64) -> Bool {
        var content = RecordContent()
        while route.books.isBacklogged, cwinnow_clock_monotonic() < deadline {
            guard route.retry(limit: 64, content: &content) else { break }
        }
        return route.settleAccount()
    }
}
