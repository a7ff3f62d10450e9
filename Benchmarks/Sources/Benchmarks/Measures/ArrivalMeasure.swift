// SPDX-License-Identifier: Apache-2.0

import CMeter
import Glibc
import Winnow

/// Takes the time from a call until the kernel has its record, of one record at a time.
///
/// The logger writes to a datagram socket, and the kernel puts its own clock on each datagram while it
/// takes it. So no logger is asked, no thread has to be woken that would look at a clock, and nobody
/// waits for the datagram whose waking would cost the logger time: the thread that logs fetches it
/// after its next call.
struct ArrivalMeasure {
    /// The longest that the last record may take, in nanoseconds.
    private static let patience: UInt64 = 5_000_000_000

    let job: Job
    let file: String

    func run() throws -> Figures {
        let (reading, writing) = try Descriptors.makeStampedPair()
        let logger = try start(writing)
        defer { logger.finish() }
        let before = Self.clockDifference()
        // The first records start the worker, and set up what each thread has.
        _ = try take(from: logger, at: reading, after: .short, count: 100)
        var figures = Figures()
        for pause in pauses {
            let count = pause.count(isQuick: job.isQuick)
            let taken = try take(from: logger, at: reading, after: pause, count: count)
            for (name, samples) in [(pause.rawValue, taken.arrivals), (pause.call, taken.calls)] {
                figures.merge(samples.figures(name)) { $1 }
                figures[Shape.figure(name, "max")] = samples.percentile(100)
            }
            figures["\(pause.rawValue) records"] = Double(count)
        }
        // The kernel stamps by the clock that can be set.
        let step = abs(Self.clockDifference() - before)
        guard step < 50_000 else { throw BenchmarkError("the clock was set by \(step) ns") }
        return figures
    }

    private func start(_ socket: Int32) throws -> StartedLogger {
        let sink = StreamSink(descriptor: socket, formatter: TextFormatter())
        return switch job.contestant {
        case .winnowDeferred:
            try .winnow(job.call, to: .sink(sink), delivery: StartedLogger.deferred)
        case .winnowPipe: try .winnow(job.call, to: .sink(sink))
        case .spdlogAsync: .spdlog(job.call, stream: socket)
        case .barePipe: try .bareWrite(job.call, to: socket, file: file)
        default: throw BenchmarkError("\(job.contestant) does not write to a socket")
        }
    }

    /// The longest takes its time, and is for those whose thread has to be woken: for the bound of
    /// deferred delivery, and for what the machine has to do with it.
    private var pauses: [Pause] {
        switch job.contestant {
        case .winnowDeferred, .spdlogAsync: Pause.allCases
        default: Pause.allCases.filter { $0 != .long }
        }
    }

    /// The nanoseconds that each of the records took to the kernel, and each of the calls.
    private func take(
        from logger: StartedLogger,
        at socket: Int32,
        after pause: Pause,
        count: Int
    ) throws -> (arrivals: Samples, calls: Samples) {
        var calls: [UInt64] = []
        var ends: [UInt64] = []
        var stamps: [UInt64] = []
        for index in 0..<count {
            cmeter_pause(.random(in: pause.nanoseconds))
            calls.append(cmeter_clock(CLOCK_REALTIME))
            logger.log(Call.firstIndex + index, 1)
            ends.append(cmeter_clock(CLOCK_REALTIME))
            try fetch(from: socket, into: &stamps)
        }
        let deadline = cmeter_clock(CLOCK_MONOTONIC) + Self.patience
        while stamps.count < count {
            guard cmeter_clock(CLOCK_MONOTONIC) < deadline else {
                throw BenchmarkError("\(count - stamps.count) of \(count) records did not come")
            }
            cmeter_pause(1_000_000)
            try fetch(from: socket, into: &stamps)
        }
        let difference = { (start: UInt64, end: UInt64) in Double(end) - Double(start) }
        return (
            Samples(zip(calls, stamps).map(difference)), Samples(zip(calls, ends).map(difference))
        )
    }
}

extension ArrivalMeasure {
    /// Takes the datagrams that are there, in the order of their calls.
    private func fetch(from socket: Int32, into stamps: inout [UInt64]) throws {
        var line = [UInt8](repeating: 0, count: 1_024)
        var stamp: UInt64 = 0
        while true {
            let count = cmeter_receive(socket, &line, Int64(line.count), &stamp)
            if count == Int64(-EAGAIN) { return }
            guard count > 0 else { throw BenchmarkError("recvmsg(2): errno \(-count)") }
            let text = String(decoding: line[..<Int(count)], as: UTF8.self)
            // Nothing but the calls' lines may come, or they could be taken for each other's.
            guard text.contains("request ") else {
                throw BenchmarkError("a line that no call has made: \(text)")
            }
            stamps.append(stamp)
        }
    }

    /// CLOCK_REALTIME less CLOCK_MONOTONIC, in nanoseconds: only setting the clock changes it.
    private static func clockDifference() -> Int64 {
        let readings = (0..<100).map { _ in
            let first = cmeter_clock(CLOCK_MONOTONIC)
            let real = cmeter_clock(CLOCK_REALTIME)
            let second = cmeter_clock(CLOCK_MONOTONIC)
            return (
                length: second - first, difference: Int64(real) - Int64(first / 2 + second / 2)
            )
        }
        return readings.min { $0.length < $1.length }?.difference ?? 0
    }
}
