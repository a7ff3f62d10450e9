// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What the worker does with the records that lie in the rings.
extension Distribution {
    /// Delivers a record of a ring, which sinks may hold back until ``OpenBatches/commit()``: it stays where it
    /// is as long.
    ///
    /// It is decoded only if a sink needs that, and at most once.
    ///
    /// - Parameters:
    ///   - record: The record, whose arguments lie in the ring; it stays as it is meanwhile.
    ///   - state: The state of the worker's thread.
    ///   - plan: The configuration by which it has its numbers.
    ///   - isApart: Whether its arguments do not lie in a ring, so that no sink may hold it back.
    @inline(__always)
    static func deliver(
        _ record: UnsafePointer<RingRecord>,
        on state: UnsafeMutablePointer<ThreadState>,
        by plan: Unmanaged<RoutingPlan>,
        isApart: Bool = false
    ) {
        unsafe plan._withUnsafeGuaranteedRef { plan in
            var isDecoded = false
            unsafe plan.table.all.forEach { entry in
                guard unsafe entry.levels.contains(record.pointee.header.level) else { return }
                ThreadRole.activeSinks = unsafe entry.bit
                let isTaken = unsafe entry.route._withUnsafeGuaranteedRef {
                    unsafe $0.hold(record) || $0.handOver(record)
                }
                if !isTaken {
                    let privacy = isDecoded ? nil : plan.privacy
                    unsafe deliverDecoded(
                        record,
                        privacy: privacy,
                        to: entry,
                        on: state,
                        mayHold: !isApart
                    )
                    isDecoded = true
                }
                ThreadRole.activeSinks = 0
            }
            // It may be long until the next record is decoded: memory that only this one needed goes now.
            if isDecoded { unsafe state.pointee.content.shrink() }
        }
    }

    /// Delivers a record along one route, and decodes it where that was not done for another.
    @inline(never)
    private static func deliverDecoded(
        _ ringRecord: UnsafePointer<RingRecord>,
        privacy: PrivacyPolicy?,
        to entry: RouteTable.Entry,
        on state: UnsafeMutablePointer<ThreadState>,
        mayHold: Bool
    ) {
        let encoded = unsafe RingRecord.encoded(ringRecord)
        if let privacy {
            unsafe state.pointee.content.removeAll()
            unsafe RecordDecoder.decode(
                encoded.arguments,
                policy: privacy,
                into: &state.pointee.content
            )
        }
        // SAFETY: nothing else decodes on this thread until the routes have returned.
        let content = unsafe withUnsafePointer(to: &state.pointee.content) { unsafe $0 }
        let record = unsafe Record(header: encoded.header, content: content)
        unsafe entry.route._withUnsafeGuaranteedRef { route in
            if unsafe mayHold && route.hold(record, at: ringRecord) { return }
            route.commit()
            let waits = unsafe route.accept(record, arguments: encoded.arguments)
            if waits { route.slot.worker.wake() }
        }
    }
}
