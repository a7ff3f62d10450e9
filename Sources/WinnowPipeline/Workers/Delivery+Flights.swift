// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Records in flight: on the way to sinks of the program's own, which may not return, or logged by a sink that
/// has not returned yet.
extension Delivery {
    /// Gives the record to each sink of the program's own that wants it: from the first of them on, it is in
    /// flight to all, as any may not return.
    @inline(never)
    static func distribute(
        _ record: borrowing Record,
        _ arguments: UnsafeMutableRawPointer,
        on state: UnsafeMutablePointer<ThreadState>,
        toForeign stops: UnsafeBufferPointer<RouteStops.Stop>,
        without excluded: UInt64
    ) {
        Ending.prepareForFlight()
        let header = unsafe record.encoded(arguments).header
        if excluded == 0 { unsafe beginFlights(of: header, to: stops) }
        unsafe stops.forEach { stop in
            guard unsafe stop.levels.contains(header.pointee.level) else { return }
            guard unsafe excluded == 0 || admits(header, at: stop, without: excluded)
            else { return }
            ThreadRole.activeSinks = unsafe active(without: excluded) | stop.mark
            unsafe stop.route._withUnsafeGuaranteedRef { route in
                let waits = unsafe route.acceptInFlight(record, arguments: arguments)
                ThreadRole.activeSinks = 0
                if waits { route.outlet.worker.wake() }
            }
        }
    }

    /// Whether a sink of Winnow's, which its call returns from, is to get a record that sinks have logged, and
    /// that was in flight to it; counts it as lost if not.
    @inline(never)
    static func takes(
        _ header: UnsafePointer<RecordHeader>,
        at stop: RouteStops.Stop,
        without excluded: UInt64
    ) -> Bool {
        guard unsafe admits(header, at: stop, without: excluded) else { return false }
        return unsafe stop.route._withUnsafeGuaranteedRef {
            unsafe $0.account.endFlight(of: header)
        }
    }

    /// Whether the sink is to get a record that sinks have logged, and that is in flight to it; counts it as
    /// lost if not.
    private static func admits(
        _ header: UnsafePointer<RecordHeader>,
        at stop: RouteStops.Stop,
        without excluded: UInt64
    ) -> Bool {
        unsafe stop.route._withUnsafeGuaranteedRef { route in
            let mark = unsafe stop.mark
            guard excluded & (mark | ThreadRole.markOfAll) != 0 else {
                return unsafe route.account.isInFlight(header)
            }
            unsafe route.refuse(header, cause: excluded & mark == 0 ? .nested : .reentrant)
            return false
        }
    }

    /// Notes that the record is in flight to each sink that wants it.
    static func beginFlights(
        of header: UnsafePointer<RecordHeader>,
        to stops: UnsafeBufferPointer<RouteStops.Stop>
    ) {
        unsafe stops.forEach { stop in
            guard unsafe stop.levels.contains(header.pointee.level) else { return }
            unsafe stop.route._withUnsafeGuaranteedRef { unsafe $0.account.beginFlight(of: header) }
        }
    }
}
