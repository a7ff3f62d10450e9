// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What the other routes are told of a sink that takes nothing, while it lasts and at its end.
///
/// The sink's own log has its losses and how long it was away, but only when it is back; an operator
/// who reads the others learns of it after a second, and after five of one that is only busy.
extension SinkRoute {
    /// Notes that the sink takes records again, with the lock of the slot held.
    func endStall() {
        let now = cwinnow_clock_monotonic()
        let mustTell = account.update { $0.health.move(lost: $0.lost.total, at: now) }
        // The other sinks are not called with this one's lock held.
        if mustTell { SinkSlot.sharedWorker.wake() }
    }

    /// Says why the sink fails, as well as it knows.
    func explain(_ error: SinkError) -> String {
        slot.builtInSink?.explain(error) ?? error.description
    }

    /// Why the sink takes nothing now, in words; nil while it takes records.
    var trouble: String? {
        account.update { $0.health.stall?.error }.map(explain)
    }

    /// Takes what is to be said of the sink on the other routes.
    func takeNews() -> RouteNews? {
        let now = cwinnow_clock_monotonic()
        return account.update { $0.health.takeNews(at: now) }
    }

    /// Says something of Winnow's own to the sink, whatever the levels of the route; one of the program's own gets
    /// it from its own worker.
    ///
    /// - Parameters:
    ///   - text: What to say.
    ///   - level: Its level.
    ///   - fields: Its fields.
    /// - Returns: Whether the sink has it, or will get it.
    @discardableResult
    func announce(_ text: String, level: Level, fields: [Field]) -> Bool {
        // It is no copy of the record that the thread's call has logged.
        let lostCopies = ThreadRole.lostCopies
        defer { ThreadRole.lostCopies = lostCopies }
        unsafe OwnRecord.withRecord(text, level: level, fields: fields) { record, arguments in
            let waits =
                unsafe isForeign
                ? keep(record.encoded(arguments).header, arguments: arguments, waiting: .none)
                : accept(record, arguments: arguments)
            if waits { slot.worker.wake() }
        }
        return ThreadRole.lostCopies == lostCopies
    }
}
