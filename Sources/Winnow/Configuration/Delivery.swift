// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowPipeline

extension Winnow {
    /// Which thread delivers the records to their sinks, and when.
    ///
    /// Immediate delivery is the default: the kernel has the record when the call returns. In deferred
    /// delivery, a call only leaves its arguments in a ring buffer of its thread, and a worker formats
    /// and writes them: within a millisecond under light load, and at the latest at
    /// ``flush(deadline:)`` and at the end of the process.
    ///
    /// Either way, the records of a thread stay in order in every sink. Deferred delivery merges the
    /// records of several threads by time. On x86-64, the time is the processor's time stamp counter
    /// if the kernel trusts it: two records less than some ten nanoseconds apart may come in either
    /// order.
    ///
    /// A value: MT-Safe, AS-Unsafe, as its constants are made when they are first used.
    public struct Delivery: Sendable, Hashable {
        package var isDeferred: Bool
        /// What happens to a record if the queue of its thread is full.
        package var overflow: Overflow
        /// The bytes of each thread's queue.
        package var queueByteCount: Int

        /// The caller brings each record to the sinks before its call returns.
        public static let immediate = Delivery(isDeferred: false)

        /// A worker brings the records to the sinks.
        public static let deferred = Delivery(isDeferred: true)

        /// A worker brings the records to the sinks.
        ///
        /// - Parameters:
        ///   - overflow: What happens to a record if the queue of its thread is full. Info and debug may
        ///     use half of the queue, notice three quarters, warning and above all of it.
        ///   - queueByteCount: The bytes of each thread's queue, from 65 536 to 1 073 741 824;
        ///     rounded up to a power of two.
        /// - Returns: The way of delivery.
        public static func deferred(
            overflow: Overflow = .block(upTo: .milliseconds(50)),
            queueByteCount: Int = 262_144
        ) -> Delivery {
            Delivery(isDeferred: true, overflow: overflow, queueByteCount: queueByteCount)
        }

        private init(
            isDeferred: Bool,
            overflow: Overflow = .block(upTo: .milliseconds(50)),
            queueByteCount: Int = DeliveryMode.defaultRingByteCount
        ) {
            self.isDeferred = isDeferred
            self.overflow = overflow
            self.queueByteCount = queueByteCount
        }

        /// What is wrong with it.
        var problems: [ConfigurationProblem] {
            var problems: [ConfigurationProblem] = []
            if let time = overflow.negativeTime {
                let reason = "a time is not negative; '.drop' does not wait"
                problems.append(.init("delivery", entry: "block(upTo: \(time))", reason: reason))
            }
            if !DeliveryMode.usefulRingByteCounts.contains(queueByteCount) {
                let entry = "queueByteCount: \(queueByteCount)"
                let reason = "a queue has \(Self.allowedSizes)"
                problems.append(.init("delivery", entry: entry, reason: reason))
            }
            return problems
        }

        /// The way as the pipeline knows it.
        var mode: DeliveryMode {
            isDeferred
                ? .deferred(patience: overflow.nanoseconds, ringByteCount: queueByteCount)
                : .immediate
        }
    }

    /// What happens to a record if the queue of its thread is full, in deferred delivery.
    ///
    /// Lost records are counted by level and reported in the log.
    ///
    /// A value: MT-Safe, AS-Unsafe, as its constant is made when it is first used.
    public struct Overflow: Sendable, Hashable {
        /// How long a caller waits for the worker; 0 is not at all.
        let nanoseconds: UInt64
        /// The time that was asked for and cannot be, which a start throws.
        let negativeTime: Duration?

        private init(nanoseconds: UInt64, negativeTime: Duration? = nil) {
            self.nanoseconds = nanoseconds
            self.negativeTime = negativeTime
        }

        /// The caller waits for room, and the record is lost when the time has passed.
        ///
        /// If the wait was in vain, no call of the thread waits again until the worker has moved on.
        /// ``Winnow/start(_:)`` throws if the time is negative.
        public static func block(upTo time: Duration) -> Overflow {
            let (seconds, attoseconds) = time.components
            let whole = UInt64(max(0, min(seconds, 1 << 32))) * 1_000_000_000
            return Overflow(
                nanoseconds: whole + UInt64(max(0, attoseconds)) / 1_000_000_000,
                negativeTime: time < .zero ? time : nil
            )
        }

        /// The record is lost at once.
        public static let drop = Overflow(nanoseconds: 0)
    }
}

/// The words of the environment.
extension Winnow.Delivery {
    static let names = ["immediate", "deferred"]

    /// Whether the word asks for deferred delivery; nil where it is neither word.
    static func isDeferred(parsing word: some StringProtocol) -> Bool? {
        switch word.lowercased() {
        case "immediate": false
        case "deferred": true
        default: nil
        }
    }

    static let allowedSizes =
        "\(DeliveryMode.usefulRingByteCounts.lowerBound >> 10)K to "
        + "\(DeliveryMode.usefulRingByteCounts.upperBound >> 20)M"

    /// The bytes of a size: a number, with `K` or `M` for 1 024 and 1 048 576; nil where it is none,
    /// or a queue cannot have so many.
    static func byteCount(parsing word: some StringProtocol) -> Int? {
        guard let bytes = word.byteCount, DeliveryMode.usefulRingByteCounts.contains(bytes) else {
            return nil
        }
        return bytes
    }
}

extension Winnow.Overflow {
    static let names = ["drop"]
    static let allowed =
        "drop, or as block=50ms a whole number from 1 to \(numbers.upperBound) of us, ms or s"
    private static let numbers = 1...1 << 32

    /// Creates the policy of a word: `drop`, or `block=` and a time in `us`, `ms` or `s`.
    package init?(parsing word: some StringProtocol) {
        let word = word.lowercased()
        if word == "drop" {
            self = .drop
            return
        }
        guard word.hasPrefix("block=") else { return nil }
        let time = word.dropFirst("block=".count)
        guard let (number, unit) = time.numberAndUnit, Self.numbers.contains(number) else {
            return nil
        }
        switch unit {
        case "us": self = .block(upTo: .microseconds(number))
        case "ms": self = .block(upTo: .milliseconds(number))
        case "s": self = .block(upTo: .seconds(number))
        default: return nil
        }
    }
}
