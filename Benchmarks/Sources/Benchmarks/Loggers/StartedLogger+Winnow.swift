// SPDX-License-Identifier: Apache-2.0

import Winnow

extension StartedLogger {
    /// Winnow with one route.
    static func winnow(
        _ call: Call,
        to route: Winnow.Route,
        delivery: Winnow.Delivery = .immediate
    ) throws -> StartedLogger {
        try Winnow.start(
            Winnow.Configuration(
                identifier: "bench",
                routes: [route],
                filter: call == .filtered ? "error" : "debug",
                delivery: delivery,
                environment: .ignored
            )
        )
        let flush: @Sendable () -> Void = { Winnow.flush(deadline: .seconds(60)) }
        return StartedLogger(
            log: WinnowCalls.make(call, Log("bench")),
            drain: flush,
            finish: flush,
            lost: { Winnow.status.sinks.reduce(0) { $0 + $1.lostTotal } }
        )
    }

    /// Deferred delivery as it is by default, but that a caller waits for room as long as it takes:
    /// so does spdlog's, and a shared machine may stop a worker for longer than 50 ms.
    static let deferred = Winnow.Delivery.deferred(overflow: .block(upTo: .seconds(60)))
}
