// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What the other routes are told of a sink that takes nothing, while it lasts and at its end.
///
/// The sink's own log has its losses and how long it was away, but only when it is back; an operator
/// who reads the others learns of it after a second, and after five of one that is only busy.
extension Route {
    /// Notes that the sink took nothing, with the lock of the outlet held.
    func noteStandstill(_ error: SinkError) {
        let now = cwinnow_clock_monotonic()
        account.isInTrouble = true
        account.update { entries in
            if entries.standstill == nil {
                entries.standstill = Standstill(
                    begin: now,
                    lostBefore: entries.status.lostTotal,
                    error: error
                )
            }
            entries.standstill?.error = error
        }
    }

    /// Has the shared worker tell the others that the sink stands still, as it never returns with an error.
    func tellStandstill() {
        account.isInTrouble = true
        SinkWorker.shared.wake()
    }

    /// Notes that the sink takes records again, with the lock of the outlet held.
    func endStandstill() {
        let now = cwinnow_clock_monotonic()
        let mustTell = account.update { entries in
            guard let standstill = entries.standstill else { return false }
            entries.standstill = nil
            guard standstill.isHeard else { return false }
            let lost = entries.status.lostTotal - standstill.lostBefore
            entries.news = .recovery(standstill.duration(at: now), lost: lost)
            return true
        }
        // The other sinks are not called with this one's lock held.
        if mustTell { SinkWorker.shared.wake() }
    }

    /// Says why the sink fails, as well as it knows.
    func explain(_ error: SinkError) -> String {
        outlet.builtInSink?.explain(error) ?? error.description
    }

    /// Why the sink takes nothing now, in words; nil while it takes records.
    var trouble: String? {
        account.update { $0.standstill?.error }.map(explain)
    }

    /// Takes what is to be said of the sink on the other routes.
    private func takeNews() -> RouteNews? {
        let now = cwinnow_clock_monotonic()
        return account.update { entries in
            if let news = entries.news {
                entries.news = nil
                return news
            }
            guard let standstill = entries.standstill, entries.isStandstillNews(at: now) else {
                return nil
            }
            entries.standstill?.isTold = true
            entries.noNewsUntil = now + Standstill.pause
            return .standstill(standstill, standstill.duration(at: now))
        }
    }

    /// Says something of Winnow's own to the sink, whatever the levels of the route.
    ///
    /// - Parameters:
    ///   - text: What to say.
    ///   - level: Its level.
    ///   - fields: Its fields.
    ///   - handsOver: Whether a sink of the program's own gets it from its own worker, as it might keep
    ///     the thread, which others wait for.
    func announce(_ text: String, level: Level, fields: [Field], handsOver: Bool = false) {
        unsafe OwnRecord.withRecord(text, level: level, fields: fields) { record, arguments in
            let waits =
                unsafe handsOver && outlet.isForeign
                ? keep(record.encoded(arguments).header, arguments: arguments, waiting: .none)
                : acceptInFlight(record, arguments: arguments)
            if waits { outlet.worker.wake() }
        }
    }

    /// Says on the other routes what is to be said of each; on standard error where no other takes
    /// warnings now.
    ///
    /// What it says is no record of the program: a route that takes it counts nothing, and one that does not
    /// take it has at most its own standstill to tell.
    ///
    /// - Parameter handsOver: As for ``announce(_:level:fields:handsOver:)``.
    static func tellNews(handsOver: Bool = false) {
        guard let topology = Pipeline.topology else { return }
        for route in topology.routes {
            guard let news = route.takeNews() else { continue }
            let text = news.text(of: route.name, explain: route.explain)
            let isHeard = route.tellOthers(text, handsOver: handsOver)
            if isHeard, case .standstill(let told, _) = news { route.noteHeard(told) }
        }
    }

    /// The other routes that take warnings now, and their marks.
    private var others: [(mark: UInt64, route: Route)] {
        guard let topology = Pipeline.topology else { return [] }
        return zip(topology.marks, topology.routes)
            .map { (mark: $0, route: $1) }
            .filter { _, other in
                other.outlet !== outlet && other.levels.contains(.warning)
                    && !other.account.isInTrouble
            }
    }

    /// Says something of the sink on the other routes; on standard error where no other takes warnings
    /// now.
    ///
    /// Returns whether somebody hears it.
    @discardableResult
    func tellOthers(_ text: String, handsOver: Bool = false) -> Bool {
        let others = others.map { ($0.mark, $0.route) }
        guard !others.isEmpty else { return Lifecycle.lastWords(text) }
        Delivery.visit(others) {
            $0.announce(text, level: .warning, fields: [], handsOver: handsOver)
        }
        return true
    }

    /// Says something of the sink in the logs of the others that take it now: at the end of the
    /// process, for which nothing may wait any more.
    ///
    /// Without fields: those of a loss would be taken for the other log's own. Returns whether one has.
    func tellOthersAtOnce(_ text: String) -> Bool {
        var isHeard = false
        Delivery.visit(others.map { ($0.mark, $0.route) }) {
            isHeard = $0.writeAtOnce(text) || isHeard
        }
        return isHeard
    }

    /// Writes a warning of Winnow's own where nothing waits for the sink and nobody stays inside it.
    ///
    /// One of the program's own may not return, and keeps the end of the process no longer than others.
    private func writeAtOnce(_ text: String) -> Bool {
        guard !account.isBehind, outlet.lock.acquire(within: 20_000_000) else { return false }
        guard outlet.isForeign else { return writeAndRelease(text) }
        let isWritten = Guarded(false)
        return callApart(until: cwinnow_clock_monotonic() + Self.patience) { route in
            let outcome = route.writeAndRelease(text)
            isWritten.withLock { $0 = outcome }
        } && isWritten.withLock { $0 }
    }

    private func writeAndRelease(_ text: String) -> Bool {
        defer { outlet.lock.release() }
        do throws(SinkError) {
            try OwnRecord.write(text, level: .warning, to: outlet.sink)
        } catch {
            return false
        }
        return true
    }

    /// Notes that somebody has taken the word of a standstill: its end is told as well.
    ///
    /// By then it may be over, and another one may have begun, which nobody has heard of.
    private func noteHeard(_ told: Standstill) {
        account.update { entries in
            if entries.standstill?.begin == told.begin { entries.standstill?.isHeard = true }
        }
    }
}
