// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Sinks of the program's own, which may not return and may log, and what sinks have logged.
extension Distribution {
    /// Gives the record to each sink of the program's own that wants it, decoded.
    @inline(never)
    static func callForeign(
        _ record: borrowing Record,
        _ arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        by plan: RoutingPlan,
        _ excluded: UInt64,
        _ isDecoded: Bool
    ) {
        Ending.prepareForFlight()
        if !isDecoded {
            unsafe decode(arguments, by: plan.privacy, into: &state.pointee.content)
        }
        let header = unsafe record.encoded(arguments).header
        unsafe plan.table.foreign.forEach { entry in
            guard unsafe entry.levels.contains(header.pointee.level) else { return }
            guard unsafe excluded == 0 || admits(header, at: entry, without: excluded)
            else { return }
            ThreadRole.activeSinks = unsafe active(without: excluded) | entry.bit
            unsafe entry.route._withUnsafeGuaranteedRef { route in
                // What a sink has logged may come from the worker of another one; a later exit handler waits for
                // no worker.
                let isCall =
                    excluded == 0 || Stage.has(reached: .closed) && !cwinnow_thread_is_own()
                let waits =
                    unsafe isCall
                    ? route.accept(record, arguments: arguments)
                    : route.keep(header, arguments: arguments, waiting: route.roomWait)
                ThreadRole.activeSinks = 0
                if waits { route.slot.worker.wake() }
            }
        }
        // It may be long until the next record is decoded: memory that only this one needed goes now.
        unsafe state.pointee.content.shrink()
    }

    /// Whether a sink is to get a record that sinks have logged; counts it as lost if not.
    @inline(never)
    static func admits(
        _ header: UnsafePointer<RecordHeader>,
        at entry: RouteTable.Entry,
        without excluded: UInt64
    ) -> Bool {
        let bit = unsafe entry.bit
        guard excluded & (bit | ThreadRole.bitOfAll) != 0 else { return true }
        unsafe entry.route._withUnsafeGuaranteedRef {
            unsafe $0.refuse(header, cause: excluded & bit == 0 ? .nested : .reentrant)
        }
        return false
    }
}
