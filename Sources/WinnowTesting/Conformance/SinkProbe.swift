// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// One sink in one check: writes records, remembers which it took, and compares them with what is at
/// the destination.
final class SinkProbe {
    let subject: SinkConformance.Subject
    private let watch: CallWatch
    private let patience: UInt64
    /// What begins every mark of this check, so that no other's record is taken for one of its own.
    private let run = "wc" + String(UInt32.random(in: 0...(.max)), radix: 16) + "z"

    private(set) var findings: [String] = []
    /// The records that the sink took, in order.
    private(set) var accepted: [ConformanceSample] = []
    private var lastNumber = 0
    /// Whether records are overwritten once the call has returned.
    var destroysRecords = false
    /// Kept, so that a sink that still reads them finds no freed memory.
    private var lent: [LentRecord] = []

    /// The pause between two attempts, and between two looks at the destination.
    private static let pauseNanoseconds: UInt64 = 2_000_000

    init(_ subject: SinkConformance.Subject, watch: CallWatch, patience: Duration) {
        self.subject = subject
        self.watch = watch
        self.patience = patience.nanosecondsClamped
    }

    func note(_ finding: String) {
        findings.append(finding)
    }

    /// Makes the next record.
    func makeSample(
        _ name: String = "a plain record",
        text: [UInt8] = Array(" is a record ".utf8),
        isOutside: Bool = false,
        fields: [ConformanceSample.Field] = []
    ) -> ConformanceSample {
        lastNumber += 1
        return ConformanceSample(
            number: lastNumber,
            run: run,
            name: name,
            text: text,
            isOutside: isOutside,
            fields: fields
        )
    }

    /// Makes a record without a message.
    func makeEmptySample() -> ConformanceSample {
        lastNumber += 1
        return ConformanceSample(emptyWithNumber: lastNumber)
    }
}

/// The calls of the sink.
extension SinkProbe {
    /// Writes a record once; returns what it threw.
    func write(_ sample: ConformanceSample) -> SinkError? {
        let record = LentRecord(sample)
        let error = watch.during("write(_:)") {
            failure { () throws(SinkError) in
                try record.lend { record throws(SinkError) in try subject.sink.write(record) }
            }
        }
        if destroysRecords {
            record.destroy()
            lent.append(record)
        }
        if error == nil { accepted.append(sample) }
        return error
    }

    func flush() -> SinkError? {
        watch.during("flush()") { failure { () throws(SinkError) in try subject.sink.flush() } }
    }

    func reopen() -> SinkError? {
        watch.during("reopen()") { failure { () throws(SinkError) in try subject.sink.reopen() } }
    }

    /// Writes a record as the pipeline does: again, for as long as the error allows it.
    func deliver(_ sample: ConformanceSample) {
        let mayBeRejected = sample.message.count > subject.wholeByteCount
        retry("write(_:) of \(sample.name)") {
            let error = write(sample)
            return mayBeRejected && error?.code == .rejected ? nil : error
        }
    }

    /// Flushes as the pipeline does.
    func deliverHeldBack() {
        retry("flush()") { flush() }
    }

    /// Writes records together where the sink takes batches, one by one elsewhere.
    func deliverTogether(_ samples: [ConformanceSample]) {
        guard let sink = subject.sink as? any BatchSink else { return samples.forEach(deliver) }
        var rest = samples[...]
        retry("commit()") {
            let records = rest.map { LentRecord($0) }
            for record in records {
                record.lend { record in _ = watch.during("hold(_:)") { sink.hold(record) } }
            }
            let (delivered, error) = watch.during("commit()") { sink.commit() }
            accepted += rest.prefix(delivered)
            rest = rest.dropFirst(delivered)
            return error
        }
    }

    /// Calls the attempt until it returns no error, for as long as the error and the patience allow it.
    func retry(_ call: String, _ attempt: () -> SinkError?) {
        let deadline = cwinnow_clock_monotonic() + patience
        while true {
            // Before the attempt, which may take long itself.
            let isOver = cwinnow_clock_monotonic() >= deadline
            guard let error = attempt() else { return }
            if error.code == .rejected { return note("\(call) threw \(error)") }
            if isOver {
                return note("\(call) still threw \(error) when the patience had ended")
            }
            cwinnow_thread_pause(Self.pauseNanoseconds)
        }
    }

    private func failure(_ body: () throws(SinkError) -> Void) -> SinkError? {
        do throws(SinkError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}

/// What is at the destination.
extension SinkProbe {
    /// Writes a last record, and compares the records at the destination with those that the sink
    /// took, from one on.
    func compare(from first: Int = 0) throws {
        guard let read = subject.delivered else {
            throw SkippedCheck(reason: "the subject cannot be read back: it has no 'delivered'")
        }
        let last = makeSample("the last record")
        deliver(last)
        deliverHeldBack()
        let expected = Array(accepted.dropFirst(first))
        let deadline = cwinnow_clock_monotonic() + patience
        while true {
            // Before the look, which may take long itself.
            let isOver = cwinnow_clock_monotonic() >= deadline
            let found = DeliveredRecords(try read(), run: run)
            if found.holds(last) || isOver {
                findings += found.differences(
                    from: expected,
                    isText: subject.isText,
                    wholeByteCount: subject.wholeByteCount
                )
                return
            }
            cwinnow_thread_pause(Self.pauseNanoseconds)
        }
    }

    /// Requires what a check cannot do without.
    func requireReading() throws {
        guard subject.delivered == nil else { return }
        throw SkippedCheck(reason: "the subject cannot be read back: it has no 'delivered'")
    }

    func requireOutage() throws -> SinkConformance.Fault {
        if let outage = subject.outage { return outage }
        throw SkippedCheck(reason: "the subject cannot make its destination refuse: no 'outage'")
    }

    func requireStall() throws -> SinkConformance.Fault {
        if let stall = subject.stall { return stall }
        throw SkippedCheck(reason: "the subject cannot make its destination wait: no 'stall'")
    }
}
