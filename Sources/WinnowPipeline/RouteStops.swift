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

    let all: UnsafeBufferPointer<Stop>

    init(_ routes: [Route], marks: [UInt64]) {
        let stops = UnsafeMutableBufferPointer<Stop>.allocate(capacity: routes.count)
        for (index, route) in routes.enumerated() {
            unsafe stops.initializeElement(
                at: index,
                to: Stop(levels: route.levels, mark: marks[index], route: .passRetained(route))
            )
        }
        unsafe all = UnsafeBufferPointer(stops)
    }

    deinit {
        unsafe all.forEach { unsafe $0.route.release() }
        unsafe all.deallocate()
    }
}
