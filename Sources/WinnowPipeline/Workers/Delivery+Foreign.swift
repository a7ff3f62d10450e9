// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Sinks of the program's own, which may not return and may log, and what sinks have logged.
extension Delivery {
    /// Gives the record to each sink of the program's own that wants it.
    @inline(never)
    static func distribute(
        _ record: borrowing Record,
        _ arguments: UnsafeMutableRawPointer,
        toForeign stops: UnsafeBufferPointer<RouteStops.Stop>,
        without excluded: UInt64
    ) {
        Ending.prepareForFlight()
        let header = unsafe record.encoded(arguments).header
        unsafe stops.forEach { stop in
            guard unsafe stop.levels.contains(header.pointee.level) else { return }
            guard unsafe excluded == 0 || admits(header, at: stop, without: excluded)
            else { return }
            ThreadRole.activeSinks = unsafe active(without: excluded) | stop.mark
            unsafe stop.route._withUnsafeGuaranteedRef { route in
                let waits = unsafe route.accept(record, arguments: arguments)
                ThreadRole.activeSinks = 0
                if waits { route.outlet.worker.wake() }
            }
        }
    }

    /// Whether a sink is to get a record that sinks have logged; counts it as lost if not.
    @inline(never)
    static func admits(
        _ header: UnsafePointer<RecordHeader>,
        at stop: RouteStops.Stop,
        without excluded: UInt64
    ) -> Bool {
        let mark = unsafe stop.mark
        guard excluded & (mark | ThreadRole.markOfAll) != 0 else { return true }
        unsafe stop.route._withUnsafeGuaranteedRef {
            unsafe $0.refuse(header, cause: excluded & mark == 0 ? .nested : .reentrant)
        }
        return false
    }
}
