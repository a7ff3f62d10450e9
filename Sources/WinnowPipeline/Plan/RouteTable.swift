// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The routes of a configuration, for the delivery of a record without reference counting, which would
/// cost as much as the delivery itself.
@safe
struct RouteTable: ~Copyable, @unchecked Sendable {
    // SAFETY: what the pointer leads to is never written again, and retains its routes.

    /// One route.
    @unsafe
    struct Entry {
        let levels: LevelSet
        /// The bit that stands for its sink.
        let bit: UInt64
        let route: Unmanaged<SinkRoute>
    }

    /// All of them.
    let all: UnsafeBufferPointer<Entry>
    /// The first of them: to the sinks that come with Winnow, which none of the others keeps from a record.
    let builtIn: UnsafeBufferPointer<Entry>
    /// The rest: to sinks of the program's own, which may not return.
    let foreign: UnsafeBufferPointer<Entry>
    /// The levels that at least one sink of the program's own takes.
    let foreignLevels: LevelSet

    init(_ routes: [SinkRoute]) {
        let table = UnsafeMutableBufferPointer<Entry>.allocate(capacity: routes.count)
        let builtIn = routes.filter { !$0.isForeign }
        let foreign = routes.filter(\.isForeign)
        for (index, route) in (builtIn + foreign).enumerated() {
            unsafe table.initializeElement(
                at: index,
                to: Entry(levels: route.levels, bit: route.slot.bit, route: .passRetained(route))
            )
        }
        unsafe all = UnsafeBufferPointer(table)
        unsafe self.builtIn = UnsafeBufferPointer(rebasing: all[..<builtIn.count])
        unsafe self.foreign = UnsafeBufferPointer(rebasing: all[builtIn.count...])
        foreignLevels = foreign.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
    }

    deinit {
        unsafe all.forEach { unsafe $0.route.release() }
        unsafe all.deallocate()
    }
}
