// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The configuration in use, and the earlier ones.
extension RoutingPlan {
    /// The configuration, unmanaged and never released: a thread may be about to read it.
    private static let address = Atomic<UInt>(0)
    /// The configurations that others have taken the place of, or are about to.
    static let retired = Retired()

    /// The configurations before the present one, the oldest first.
    static var earlier: [RoutingPlan] { retired(besides: current) }

    /// The routes of the configuration and of the earlier ones, each once.
    static var allRoutes: [SinkRoute] {
        let present = current
        var routes = present?.routes ?? []
        for plan in retired(besides: present) { routes += plan.routes }
        return routes
    }

    /// The retired configurations but for the present one, which is among them while a start is under way.
    ///
    /// The present one was read before: if it is replaced meanwhile, it would else be in neither.
    private static func retired(besides present: RoutingPlan?) -> [RoutingPlan] {
        var others: [RoutingPlan] = []
        for plan in retired.all where plan !== present { others.append(plan) }
        return others
    }

    /// Whether there is a configuration.
    static var isAny: Bool { address.load(ordering: .acquiring) != 0 }

    /// The configuration; nil before the first.
    static var current: RoutingPlan? {
        unsafe unmanagedCurrent?.takeUnretainedValue()
    }

    /// The configuration without reference counting, as none is ever freed; nil before the first.
    static var unmanagedCurrent: Unmanaged<RoutingPlan>? {
        let address = address.load(ordering: .acquiring)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        // SAFETY: a configuration is at the address, which `use` has retained for good.
        return unsafe Unmanaged<RoutingPlan>.fromOpaque(pointer)
    }

    /// Puts the configuration in the place of the present one.
    ///
    /// One thread at a time.
    func use() {
        begin(after: Self.current)
        let pointer = unsafe Unmanaged.passRetained(self).toOpaque()
        Self.address.store(UInt(bitPattern: pointer), ordering: .releasing)
    }

    /// Returns the configuration that takes a record, which has its numbers.
    ///
    /// - Parameters:
    ///   - level: The level of the record.
    ///   - number: Its number among those of the level.
    ///   - known: The configuration that was in use before the record got it.
    /// - Returns: The configuration, which is never freed.
    @inline(__always)
    static func owner(
        of level: Level,
        _ number: UInt64,
        knowing known: Unmanaged<RoutingPlan>
    ) -> Unmanaged<RoutingPlan> {
        if unsafe known._withUnsafeGuaranteedRef({ $0.isLatest }) { return unsafe known }
        return unsafe laterOwner(of: level, number, knowing: known)
    }

    @inline(never)
    private static func laterOwner(
        of level: Level,
        _ number: UInt64,
        knowing known: Unmanaged<RoutingPlan>
    ) -> Unmanaged<RoutingPlan> {
        var owner: NumberSpan = unsafe known.takeUnretainedValue()
        while let next = owner.next, next.start(of: level) < number { owner = next }
        // SAFETY: all spans that begin are configurations.
        return unsafe .passUnretained(unsafeDowncast(owner, to: RoutingPlan.self))
    }

    /// Has the last configuration own all numbers, which begin anew: in the child of a fork.
    static func forgetParent() {
        guard var present = current else { return }
        // One that another thread of the parent was about to use, and of which records knew already.
        while let next = present.next {
            present = unsafe unsafeDowncast(next, to: RoutingPlan.self)
        }
        let pointer = unsafe Unmanaged.passUnretained(present).toOpaque()
        address.store(UInt(bitPattern: pointer), ordering: .releasing)
        for plan in earlier {
            plan.isOfThisProcess = false
            plan.forgetParent()
        }
        present.forgetParent()
    }

    /// The routes that may have something to deliver or to report: the routes of the configuration, and
    /// routes of earlier ones if records wait for them or are on their way.
    static var openRoutes: [SinkRoute] { openRoutes(and: nil) }

    /// The open routes, and all of a configuration.
    static func openRoutes(and old: RoutingPlan?) -> [SinkRoute] {
        let present = current
        let earlier = retired(besides: present).filter { $0 !== old }.flatMap(\.routes)
        return (present?.routes ?? []) + (old?.routes ?? [])
            + earlier.filter { !$0.account.isSettled }
    }

    /// Says how many records are on their way to sinks now, for a signal's handler that does not wait for them.
    static func noteUnderway() {
        let counts = openRoutes.map(\.account.underwayCount)
        cwinnow_ending_note_underway(counts.reduce(0, +))
    }
}
