// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// What is written to a sink about itself, with the lock of its slot held.
extension SinkRoute {
    /// Notes that the sink fails, unless it is only busy; also before the route is used, where that is
    /// known by then.
    package func note(_ error: SinkError) {
        let now = cwinnow_clock_monotonic()
        account.update { $0.health.note(error, at: now) }
    }

    /// Says what is to be said of a sink that takes records again.
    func endTrouble() {
        endStall()
        endFailure()
        if let outage = account.update({ $0.outage }) { announceRecovery(from: outage) }
    }

    /// Notes that the sink takes records again, and says how long it did not.
    ///
    /// What was lost meanwhile is the matter of another report.
    private func endFailure() {
        guard let failure = account.update({ $0.health.recover() }) else { return }
        let time = cwinnow_clock_monotonic() - failure.since
        guard time >= Bounds.News.failure else { return }
        let seconds = RouteNews.seconds(time)
        let reason = explain(failure.error)
        let text = "\(name) takes records again; for \(seconds) s it did not: \(reason)"
        do throws(SinkError) {
            try OwnRecord.write(text, level: .warning, to: slot.sink)
        } catch {
            note(error)
        }
    }

    func announceOutage(
        _ error: SinkError,
        before record: borrowing Record,
        to sink: any Sink
    ) throws(SinkError) {
        let reason = error.systemError == 0 ? "" : " (\(systemErrorText(error.systemError)))"
        let text = "\(name) is not there\(reason); its records come here until it is"
        try OwnRecord.write(text, level: .warning, at: record.timestamp, to: sink)
    }

    /// Says how many records went to the fallback: they are missing in the sink, and not lost.
    private func announceRecovery(from diverted: LevelTally) {
        let text = "\(name) is back; \(diverted.counts.total) of its records went to its fallback"
        do throws(SinkError) {
            let fields = diverted.fields(named: "winnow_diverted")
            try OwnRecord.write(text, level: .notice, fields: fields, to: slot.sink)
        } catch {
            // The next record meets this failure too, and is settled by it; or it says this.
            return
        }
        account.update { $0.outage = nil }
    }

    /// Whether losses are to be reported behind a record that the sink has taken: where the first
    /// of them is missing, as the beginning of a log may be removed, and the report of what is
    /// missing farther on with it.
    func owesReport(behind sequence: UInt64) -> Bool {
        guard account.isOwingReport else { return false }
        guard account.isBacklogged else { return true }
        return account.update { $0.unreported.isOfLoss(before: sequence) }
    }

    /// Writes the losses that were not reported yet to the sink itself; where that fails they stay
    /// unreported.
    func reportLosses() {
        let report = account.update { entries in
            swap(&entries.unreported, &entries.underwayReport)
            return entries.underwayReport
        }
        guard !report.isEmpty else { return }
        do throws(SinkError) {
            try OwnRecord.write(
                report.text,
                level: .warning,
                fields: report.fields,
                to: slot.sink
            )
        } catch {
            // Unless the end of the process has told it meanwhile.
            return account.update { $0.endReport(isTold: false) }
        }
        account.update { $0.endReport(isTold: true) }
    }

    /// Writes what the sink has to say about itself into its log; where that fails it is lost, as the
    /// records that fail with it tell more.
    func passOnReport() {
        guard let text = slot.builtInSink?.takeReport() else { return }
        do throws(SinkError) {
            try OwnRecord.write(text, level: .warning, to: slot.sink)
        } catch {
            return
        }
    }
}
