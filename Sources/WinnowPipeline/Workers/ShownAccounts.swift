// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The accounts of the sinks as others see them: copies in the control page.
///
/// They are copied at the start, in each round of a worker for whose sinks something waits, and when somebody asks. So
/// a process that stands still, or hangs, shows what it had then.
enum ShownAccounts {
    /// Copies the accounts of the configuration into the page.
    ///
    /// MT-Safe, AS-Unsafe.
    static func update() {
        // The sinks first: so none of them has accepted more than the process, whoever logs meanwhile.
        let routes = (RoutingPlan.current?.routes ?? []).prefix(cwinnow_control_sink_capacity)
        for (index, route) in routes.enumerated() {
            // Its lock comes before the one of the categories.
            let totals = route.account.totals
            Categories.lock.withLock {
                guard let sink = unsafe cwinnow_control_own_sink(UInt32(index)) else { return }
                unsafe describe(route, in: sink)
                if let totals { unsafe copy(totals, to: sink) }
            }
        }
        let accepted = RecordNumbers.last
        Categories.lock.withLock {
            cwinnow_control_own()
            let shown = unsafe cwinnow_control_own_accounts()
            unsafe shown.pointee.time = cwinnow_clock_realtime()
            unsafe shown.pointee.accepted = accepted
            unsafe shown.pointee.sink_count = UInt32(routes.count)
            cwinnow_control_show_accounts()
        }
    }

    private static func describe(
        _ route: SinkRoute,
        in sink: UnsafeMutablePointer<cwinnow_control_sink>
    ) {
        unsafe sink.pointee.levels = UInt32(route.levels.rawValue)
        unsafe sink.pointee.name_length = ControlText.copy(
            route.name,
            to: cwinnow_control_name_of_sink(sink),
            capacity: cwinnow_control_text_capacity
        )
    }

    private static func copy(
        _ totals: (delivered: UInt64, queued: UInt64, lost: UInt64, failure: SinkError?),
        to sink: UnsafeMutablePointer<cwinnow_control_sink>
    ) {
        unsafe sink.pointee.accepted = totals.delivered + totals.queued + totals.lost
        unsafe sink.pointee.delivered = totals.delivered
        unsafe sink.pointee.queued = totals.queued
        unsafe sink.pointee.lost = totals.lost
        unsafe sink.pointee.failure_length = ControlText.copy(
            totals.failure?.description ?? "",
            to: cwinnow_control_failure_of_sink(sink),
            capacity: cwinnow_control_text_capacity
        )
    }
}
