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
        let header = unsafe record.encoded(arguments).header
        if excluded == 0 { unsafe beginFlights(of: header, to: stops) }
        unsafe stops.forEach { stop in
            guard unsafe stop.levels.contains(header.pointee.level) else { return }
            if excluded != 0 {
                guard unsafe admits(header, at: stop, without: excluded) else { return }
                unsafe stop.route._withUnsafeGuaranteedRef {
                    unsafe $0.account.beginFlight(of: header)
                }
            }
            unsafe state.pointee.activeOutlets = unsafe active(without: excluded) | stop.mark
            unsafe stop.route._withUnsafeGuaranteedRef { route in
                let waits = unsafe route.acceptInFlight(record, arguments: arguments)
                unsafe state.pointee.activeOutlets = 0
                if waits { route.outlet.worker.wake() }
            }
        }
    }

    /// Whether the sink is to get a record that sinks have logged, and that is in flight to it; counts it as
    /// lost if not.
    @inline(never)
    static func admits(
        _ header: UnsafePointer<RecordHeader>,
        at stop: RouteStops.Stop,
        without excluded: UInt64
    ) -> Bool {
        unsafe stop.route._withUnsafeGuaranteedRef { route in
            guard unsafe route.account.endFlight(of: header) else { return false }
            let mark = unsafe stop.mark
            guard excluded & (mark | Topology.markOfAll) != 0 else { return true }
            unsafe route.refuse(header.pointee, cause: excluded & mark == 0 ? .nested : .reentrant)
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
