// SPDX-License-Identifier: Apache-2.0

package import CWinnow
package import WinnowCore

/// The orders of others, by the control page: what they change is said in the log, and what takes time has a thread.
package enum Control {
    /// Decides on what may become a record, where the cell of its category may say that there is more to look at than
    /// the mask.
    ///
    /// MT-Safe, AS-Unsafe; keeps errno.
    package static func verdict(on candidate: RecordCandidate) -> FilterStack.Verdict {
        if let verdict = unsafe Categories.verdict(on: candidate) { return verdict }
        unsafe settle(Categories.Cell(pointer: candidate.category))
        // The next order may have come meanwhile, so that the cell does not know it still.
        return unsafe Categories.decision(on: candidate)
    }

    /// Whether a category lets a level through now, in some statement.
    ///
    /// MT-Safe, AS-Unsafe; keeps errno.
    package static func letsThrough(
        _ category: UnsafeMutablePointer<cwinnow_cell>,
        _ level: UInt8
    ) -> Bool {
        unsafe levels(of: category).rawValue & (1 &<< level) != 0
    }

    /// The levels that a category lets through now, in any of its statements.
    ///
    /// MT-Safe, AS-Unsafe; keeps errno.
    package static func levels(of category: UnsafeMutablePointer<cwinnow_cell>) -> LevelSet {
        if let levels = unsafe Categories.levels(of: category) { return levels }
        unsafe settle(Categories.Cell(pointer: category))
        return unsafe Categories.decidedLevels(of: category)
    }

    /// Takes the orders that have come, on a worker's thread.
    static func look() {
        if ControlOrder.isAny { settle(nil) }
    }

    /// The bytes of stack that an order may need, in a debug build.
    private static let stackByteCount: UInt64 = 64 * 1_024

    /// Takes the orders that have come, and settles a category; on a thread of its own where this one has too little
    /// stack left.
    @inline(never)
    private static func settle(_ category: Categories.Cell?) {
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        let body: @Sendable () -> Void = {
            unsafe Categories.settle(category?.pointer).forEach(carryOut)
        }
        if ThreadRole.isInsideSink || cwinnow_thread_has_room(stackByteCount) {
            body()
        } else {
            DetachedCall.run("winnow-control", body)
        }
    }

    private static func carryOut(_ event: Categories.Event) {
        switch event {
        case .turned(let turn):
            announce("levels are set from outside", fields(of: turn) + turn.author.fields)
        case .reset(let turn, let author):
            announce("levels set from outside are reset", [filterField(of: turn)] + author.fields)
        case .ended(let turn):
            announce("levels set from outside have ended", [filterField(of: turn)])
        case .late(let turn):
            announce(
                "levels were to be set from outside, but their time had passed",
                fields(of: turn) + turn.author.fields
            )
        case .reopen(let order, let author):
            announce("the sinks are to be reopened, as asked from outside", author.fields)
            elsewhere(order) { reopen() }
        case .flush(let order):
            elsewhere(order) { flush() }
        case .report(let order):
            ShownAccounts.update()
            _ = Categories.finish(order, cwinnow_control_done)
        }
    }

    private static func filterField(of turn: Turn) -> Field {
        Field("winnow_filter", .string(turn.text))
    }

    private static func fields(of turn: Turn) -> [Field] {
        [filterField(of: turn)] + (turn.endText.map { [Field("winnow_until", .string($0))] } ?? [])
    }

    /// Says something in the log: from a thread of its own where this one is inside a sink.
    private static func announce(_ text: String, _ fields: [Field]) {
        guard ThreadRole.isInsideSink else {
            return News.announce(text, level: .notice, fields: fields, onlyWhereTaken: true)
        }
        let status = OwnThread.start("winnow-control") { announce(text, fields) }
        if status < 0 { LastWords.say(text) }
    }

    /// Has a thread do what takes time, and answers the order, and those that come meanwhile: one thread at a time for
    /// each kind of order.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - body: Does it, and returns what could not be done.
    private static func elsewhere(
        _ order: ControlOrder.Name,
        _ body: @escaping @Sendable () -> [String]
    ) {
        guard Categories.begin(order) else { return }
        let status = OwnThread.start("winnow-control") {
            var next: ControlOrder.Name? = order
            while let order = next { next = finish(order, body()) }
        }
        if status < 0 { _ = finish(order, ["no thread can be started for it"]) }
    }

    /// Answers an order, with what could not be done, and returns the next one.
    private static func finish(
        _ order: ControlOrder.Name,
        _ problems: [String]
    ) -> ControlOrder.Name? {
        guard !problems.isEmpty else { return Categories.finish(order, cwinnow_control_done) }
        Categories.note(problems.joined(separator: "; "), for: order)
        ShownAccounts.update()
        return Categories.finish(order, cwinnow_control_failed)
    }

    /// Waits until the sinks have what was accepted; returns for which they wait still.
    private static func flush() -> [String] {
        guard !Distribution.flush(within: Bounds.orderedFlush) else { return [] }
        let waiting = RoutingPlan.openRoutes.compactMap { route -> String? in
            guard let totals = route.account.totals, totals.queued > 0 else { return nil }
            let reason = totals.failure.map { " (\($0))" } ?? ""
            return "records that wait for \(route.name): \(totals.queued)\(reason)"
        }
        return waiting.isEmpty ? ["some log call has not ended in 10 seconds"] : waiting
    }

    /// Ends what others have set, as they cannot end it any more.
    static func endTurn() {
        Categories.endTurn().forEach(carryOut)
    }

    /// Opens the destinations of all sinks anew; what cannot be is said on the other routes.
    ///
    /// Not from within a sink. MT-Safe.
    ///
    /// - Returns: What is said.
    @discardableResult
    static func reopen() -> [String] {
        guard let plan = RoutingPlan.current else { return [] }
        let problems = Distribution.reopen(plan.routes)
        for problem in problems { News.tellOthers(than: problem.route, problem.text) }
        return problems.map(\.text)
    }
}
