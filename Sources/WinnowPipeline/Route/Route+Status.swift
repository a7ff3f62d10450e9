// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The account of records that were neither brought to the sink nor wait for it, and its total.
extension Route {
    /// Counts a record in flight that the route must not get, as a sink has logged it.
    ///
    /// A report of what a sink has logged itself would have it log again; and so would, by way of another
    /// one that logs, what one of the program's own is told of the others.
    @inline(never)
    func refuse(_ header: UnsafePointer<RecordHeader>, cause: LossCause) {
        let isReported = cause != .reentrant && !outlet.isForeign
        account.update { entries in
            guard unsafe account.endFlightLocked(of: header) else { return }
            entries.status.accepted += 1
            unsafe entries.lose(header.pointee, cause: cause, isReported: isReported)
        }
    }

    /// Counts a record that nobody brings to the sink any more.
    func lose(_ header: RecordHeader, cause: LossCause) {
        account.update { entries in
            entries.status.accepted += 1
            entries.lose(header, cause: cause)
        }
    }

    /// Counts records that no ring had room for.
    func lose(_ loss: RingLoss) {
        account.update { $0.lose(loss) }
    }

    /// How many records have come to the route, but for those in flight.
    var arrived: UInt64 {
        account.update { $0.status.accepted } + account.deliveredAtOnce + UInt64(held.count)
    }

    /// The account as it stands now.
    var status: SinkStatus {
        account.update { entries in
            var status = entries.status
            status.failure = entries.health.failure?.error
            // What the sink took at once, and what it holds back, is not among the entries.
            let atOnce = account.deliveredAtOnce
            let underway = UInt64(held.count + account.inFlight.count)
            status.accepted += atOnce + underway
            status.delivered += atOnce
            status.queued = UInt64(entries.queue.programCount) + underway
            status.queueHighWater = entries.queue.highWater
            return status
        }
    }
}
