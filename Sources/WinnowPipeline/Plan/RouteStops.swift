// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The routes of a configuration, for the delivery of a record without reference counting, which would
/// cost as much as the delivery itself.
@safe
struct RouteStops: ~Copyable, @unchecked Sendable {
    // SAFETY: what the pointer leads to is never written again, and retains its routes.

    /// One route.
    @unsafe
    struct Stop {
        let levels: LevelSet
        /// The bit that stands for its sink.
        let mark: UInt64
        let route: Unmanaged<Route>
    }

    /// All of them.
    let all: UnsafeBufferPointer<Stop>
    /// The first of them: to the sinks that come with Winnow, which none of the others keeps from a record.
    let builtIn: UnsafeBufferPointer<Stop>
    /// The rest: to sinks of the program's own, which may not return.
    let foreign: UnsafeBufferPointer<Stop>
    /// The levels that at least one of those takes.
    let foreignLevels: LevelSet

    init(_ routes: [Route]) {
        let stops = UnsafeMutableBufferPointer<Stop>.allocate(capacity: routes.count)
        let builtIn = routes.filter { !$0.isForeign }
        let foreign = routes.filter(\.isForeign)
        for (index, route) in (builtIn + foreign).enumerated() {
            unsafe stops.initializeElement(
                at: index,
                to: Stop(levels: route.levels, mark: route.outlet.mark, route: .passRetained(route))
            )
        }
        unsafe all = UnsafeBufferPointer(stops)
        unsafe self.builtIn = UnsafeBufferPointer(rebasing: all[..<builtIn.count])
        unsafe self.foreign = UnsafeBufferPointer(rebasing: all[builtIn.count...])
        foreignLevels = foreign.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
    }

    deinit {
        unsafe all.forEach { unsafe $0.route.release() }
        unsafe all.deallocate()
    }
}
