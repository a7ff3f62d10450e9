// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The account of records that were neither brought to the sink nor wait for it, and its total.
extension SinkRoute {
    /// Counts a record as lost that the route must not get, as a sink has logged it.
    ///
    /// A report of what a sink has logged itself would have it log again; and so would, by way of another
    /// one that logs, what one of the program's own is told of the others.
    @inline(never)
    func refuse(_ header: UnsafePointer<RecordHeader>, cause: LossCause) {
        let isReported = cause != .reentrant && !isForeign
        account.update { entries in
            unsafe entries.lose(header.pointee, cause: cause, isReported: isReported)
        }
    }

    /// Counts records that no ring had room for.
    func lose(_ loss: RingLoss) {
        account.update { $0.lose(loss) }
    }

    /// The account as it stands now.
    var status: SinkStatus { account.status }
}
