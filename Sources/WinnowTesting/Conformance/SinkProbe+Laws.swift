// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowPipeline

/// The checks, a function a law.
extension SinkProbe {
    /// Checks the law, and notes what contradicts it.
    func check(_ law: ConformanceLaw) throws {
        switch law {
        case .delivery: try checkDelivery()
        case .refusal: try checkRefusal()
        case .boundedTime: try checkBoundedTime()
        case .hostileMessages: try checkHostileMessages()
        case .hostileFields: try checkHostileFields()
        case .largeMessages: try checkLargeMessages()
        case .threads: try checkThreads()
        case .lending: try checkLending()
        case .idleCalls: try checkIdleCalls()
        case .reopening: try checkReopening()
        case .relocation: try checkRelocation()
        case .signals: try checkSignals()
        case .descriptors: try checkDescriptors()
        default: throw SkippedCheck(reason: "it is no law of Sink")
        }
    }

    private func checkDelivery() throws {
        try requireReading()
        for _ in 0..<100 { deliver(makeSample()) }
        deliverHeldBack()
        deliverTogether((0..<100).map { _ in makeSample("a record of a batch") })
        try compare()
    }

    private func checkRefusal() throws {
        try requireReading()
        let outage = try requireOutage()
        deliver(makeSample("the record before the outage"))
        deliverHeldBack()
        try outage.begin()
        let refused = recordsRefused(with: outage.code)
        let codes = [outage.code, .busy]
        if let wrong = refused.first(where: { !codes.contains($0.error.code) }) {
            note("write(_:) threw \(wrong.error), and the destination is \(SinkError(outage.code))")
        }
        try outage.end()
        // The rest is not written again: it must not be there.
        for (sample, _) in refused.suffix(5) { deliver(sample) }
        try compare()
    }

    /// Writes records during an outage; returns those for which the sink threw, with what it threw
    /// last.
    ///
    /// One that has just lost its connection may make another, and be busy until that has failed.
    private func recordsRefused(
        with code: SinkError.Code
    ) -> [(sample: ConformanceSample, error: SinkError)] {
        var refused: [(sample: ConformanceSample, error: SinkError)] = []
        // A sink that has begun a connection may find out with the second record only.
        for _ in 0..<20 {
            let sample = makeSample("a record of the outage")
            if let error = write(sample) { refused.append((sample, error)) }
        }
        guard code != .busy, let (sample, error) = refused.last, error.code == .busy else {
            return refused
        }
        refused.removeLast()
        retry("write(_:) of \(sample.name)") {
            let error = write(sample)
            if let error, error.code != .busy { refused.append((sample, error)) }
            return error?.code == .busy ? error : nil
        }
        return refused
    }

    private func checkBoundedTime() throws {
        try requireReading()
        let stall = try requireStall()
        deliver(makeSample("the record before the stall"))
        deliverHeldBack()
        try stall.begin()
        let refused = writeUntilRefused(with: stall.code)
        if refused != nil { checkReturn() }
        _ = flush()
        try stall.end()
        if let refused { deliver(refused) }
        try compare()
    }

    /// Writes to a destination that takes nothing; returns the first record that the sink refuses,
    /// and notes where it refuses none.
    private func writeUntilRefused(with code: SinkError.Code) -> ConformanceSample? {
        // More than what a pipe, a local socket or a connection of TCP holds: see pipe(7),
        // socket(7) and tcp_rmem and tcp_wmem in tcp(7).
        let text = [UInt8](repeating: UInt8(ascii: "."), count: 16_384)
        for _ in 0..<2_048 {
            let sample = makeSample("a record of the stall", text: text)
            guard let error = write(sample) else { continue }
            if error.code != code {
                note("write(_:) threw \(error), and the destination is \(SinkError(code))")
            }
            return sample
        }
        note(
            "write(_:) took 32 MiB, of which the destination took nothing: it queues without bound"
        )
        return nil
    }

    /// Notes where the sink waits for a destination that takes nothing, with each record anew.
    ///
    /// The fastest of three calls counts: a busy machine delays one, and a sink that waits all.
    private func checkReturn() {
        let durations = (0..<3).map { _ in
            let start = cwinnow_clock_monotonic()
            _ = write(makeSample("another record of the stall"))
            return cwinnow_clock_monotonic() - start
        }
        guard let least = durations.min(), least > Self.longestWaitNanoseconds else { return }
        note("write(_:) waits \(Double(least / 1_000_000) / 1_000) seconds with each record")
    }

    /// What no call of a sink takes that waits for some tens of milliseconds, as law 3 allows.
    private static let longestWaitNanoseconds: UInt64 = 1_000_000_000

    private func checkHostileMessages() throws {
        try requireReading()
        for (name, text) in HostileText.messages {
            deliver(makeSample(name, text: text))
            deliver(makeSample("\(name) at both ends", text: text, isOutside: true))
        }
        deliver(makeEmptySample())
        deliver(makeSample("the record behind an empty one"))
        try compare()
    }

    private func checkHostileFields() throws {
        try requireReading()
        deliver(makeSample("a record with odd fields", fields: HostileText.fields))
        for field in HostileText.fields {
            let name = String(decoding: field.name.prefix(20), as: UTF8.self).debugDescription
            deliver(makeSample("a record with a field \(name)", fields: [field]))
        }
        for (name, text) in HostileText.messages {
            var sample = makeSample("\(name) in the category and in the place")
            sample.category = text
            sample.setPlace(text)
            deliver(sample)
        }
        let many = (0..<2_000).map { (Array("f\($0)".utf8), ConformanceSample.Value.integer($0)) }
        deliver(makeSample("a record with 2 000 fields", fields: many))
        try compare()
    }

    private func checkLargeMessages() throws {
        try requireReading()
        for size in [4_096, 65_536, 1 << 20] {
            let text = [UInt8](repeating: UInt8(ascii: "."), count: size)
            deliver(makeSample("a message of \(size) bytes", text: text))
            deliver(makeSample("the record behind a large one"))
        }
        try compare()
    }

    private func checkThreads() throws {
        try requireReading()
        for _ in 0..<8 {
            let probe = UncheckedBox(self)
            let lock = Lock(.unranked)
            let isOver = UncheckedBox(Flag())
            TestThread.start {
                for _ in 0..<10 {
                    probe.value.deliver(probe.value.makeSample("a record of another thread"))
                }
                lock.withLock {
                    isOver.value.isSet = true
                    lock.wake()
                }
            }
            lock.withLock { while !isOver.value.isSet { lock.wait(0) } }
        }
        try compare()
    }

    private func checkLending() throws {
        try requireReading()
        destroysRecords = true
        for _ in 0..<20 {
            let fields = [
                (name: Array("name".utf8), value: ConformanceSample.Value.text(Array("value".utf8)))
            ]
            deliver(makeSample("a record that is gone after the call", fields: fields))
        }
        try compare()
    }

    private func checkIdleCalls() throws {
        try requireReading()
        for call in [flush, reopen, flush] {
            if let error = call() { note("a call with nothing to do threw \(error)") }
        }
        deliver(makeSample())
        for _ in 0..<3 { deliverHeldBack() }
        try compare()
    }

    private func checkReopening() throws {
        try requireReading()
        for _ in 0..<3 {
            deliver(makeSample("a record before reopen()"))
            if let error = reopen() { note("reopen() threw \(error)") }
        }
        try compare()
    }

    private func checkRelocation() throws {
        try requireReading()
        guard let relocate = subject.relocate else {
            throw SkippedCheck(reason: "the subject cannot move its destination: no 'relocate'")
        }
        for _ in 0..<3 { deliver(makeSample("a record of the old place")) }
        deliverHeldBack()
        try relocate()
        if let error = reopen() { note("reopen() threw \(error)") }
        deliver(makeSample("a record of the new place"))
        try compare(from: 3)
    }
}

/// What one thread hands to another, and does not touch until that has ended.
private struct UncheckedBox<Value>: @unchecked Sendable {
    // SAFETY: whoever makes one waits for the other thread.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

private final class Flag {
    var isSet = false
}
