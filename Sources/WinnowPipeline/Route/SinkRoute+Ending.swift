// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What becomes of records that the sink has not taken in time, at the end of the process or of the
/// configuration.
extension SinkRoute {
    /// Counts what still waits as lost.
    ///
    /// - Parameters:
    ///   - cause: Why they are lost.
    ///   - isLast: Whether records on their way to the sink are lost as well, as no more can come.
    func loseWaiting(cause: LossCause, isLast: Bool) {
        account.update { entries in
            while let record = unsafe entries.queue.first {
                let header = unsafe record.header.pointee
                if !header.isOfProgram { unsafe entries.unheard.append(record.copy) }
                entries.lose(header, cause: cause)
                entries.queue.removeFirst()
                entries.settled += 1
            }
            if isLast { account.writeOff(&entries) }
        }
    }

    /// Takes the messages of Winnow's own that waited for the sink, which are in no account, as the program did not
    /// log them.
    func takeUnheard() -> [String] {
        account.update { $0.takeUnheard() }.map(OwnRecord.text(of:))
    }

    /// Whether `Distribution.abandon` is at work.
    ///
    /// MT-Safe.
    package var isAbandoned: Bool { account.isAbandoned }

    /// Takes what the route has lost and could tell nobody, for another to tell it.
    ///
    /// - Parameter isLast: Whether what the sink is being told, and may not return from, is taken as well: the
    ///   process ends.
    /// - Returns: The losses; nil if there are none.
    func takeUntold(isLast: Bool) -> LossReport? {
        let report = account.update { $0.takeUnreported(isLast: isLast) }
        return report.isEmpty ? nil : report
    }
}
