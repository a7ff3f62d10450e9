// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What the worker does with the records that lie in the rings.
extension Delivery {
    /// Delivers a record of a ring, which sinks may hold back until ``commit(on:)``: it stays where it
    /// is as long.
    ///
    /// - Parameters:
    ///   - ringRecord: The record, whose arguments lie in the ring; it stays as it is meanwhile.
    ///   - state: The state of the worker's thread.
    static func deliver(
        _ ringRecord: UnsafePointer<RingRecord>,
        on state: UnsafeMutablePointer<ThreadState>
    ) {
        // There are rings only where there was a configuration, and none is ever taken back.
        guard let topology = unsafe Pipeline.unmanagedTopology else { return }
        unsafe topology._withUnsafeGuaranteedRef { topology in
            unsafe state.pointee.content.removeAll()
            unsafe RecordDecoder.decode(
                ringRecord.pointee.arguments,
                policy: topology.privacy,
                into: &state.pointee.content
            )
            // SAFETY: nothing else decodes on this thread until the routes have returned.
            let content = unsafe withUnsafePointer(to: &state.pointee.content) { unsafe $0 }
            let header = unsafe RingRecord.header(of: ringRecord)
            let record = unsafe Record(header: header, content: content)
            var mustRetry = false
            unsafe topology.stops.all.forEach { stop in
                guard unsafe stop.levels.contains(header.pointee.level) else { return }
                unsafe state.pointee.activeOutlets = unsafe stop.mark
                let waits = unsafe stop.route._withUnsafeGuaranteedRef { route in
                    unsafe !route.hold(record, at: ringRecord, on: state)
                        && route.accept(record, arguments: ringRecord.pointee.arguments)
                }
                unsafe state.pointee.activeOutlets = 0
                mustRetry = mustRetry || waits
            }
            if mustRetry { RetryWorker.wake() }
        }
    }

    /// Has the sinks deliver what they hold back, those of an earlier configuration as well.
    static func commit(on state: UnsafeMutablePointer<ThreadState>) {
        guard unsafe !state.pointee.holding.isEmpty else { return }
        unsafe state.pointee.holding.forEach { $0.commit() }
        unsafe state.pointee.holding.removeAll(keepingCapacity: true)
    }
}
