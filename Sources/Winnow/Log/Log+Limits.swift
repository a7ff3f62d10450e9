// SPDX-License-Identifier: Apache-2.0

/// Rate limits: each statement has a budget, which all threads and all loggers share.
///
/// A statement is known by its place, `file:`, `line:` and `column:`, by the code that logs it, and by the
/// literals of its message. So two statements of one macro expansion have a budget each, as have two of a
/// function that hands on the place of its caller, unless their messages have the same literals, or none. A
/// function that hands on the place and the message has one budget for each place that it is called from.
/// The copies that the optimizer makes of a statement, as of a loop that it unrolls, share one budget; each
/// of them evaluates its message and fields once to find out, also if the budget is used up. Two intervals at
/// one place have a budget each if their levels differ.
///
/// Records that the filter rejects do not use the budget. The next record that passes has the number
/// of suppressed ones in the field `suppressed`. If there is no such record, the number is reported
/// at the end of the process, by exit or by a signal. If every route loses the record within its call,
/// the number is not lost with it; what the worker of deferred delivery loses later takes it along. The
/// limits are inlined, so that nothing is left of them in front of a stripped statement.
extension Log {
    /// The same logger, of whose statements each logs once in the life of the process.
    ///
    /// ```swift
    /// log.once.warning("the option 'x' is deprecated")
    /// ```
    @export(implementation) public var once: Log {
        @inline(always) get { limited(to: .max) }
    }

    /// Returns the same logger, limited by number: each statement logs its first call, then one of
    /// every `count` calls.
    ///
    /// - Parameter count: A number from 1; a smaller number counts as 1, which means no limit.
    /// - Returns: The limited logger.
    @export(implementation)
    @inline(always)
    public func every(_ count: Int) -> Log {
        limited(to: count > 1 ? Int64(truncatingIfNeeded: count) : 0)
    }

    /// Returns the same logger, limited by time: each statement logs at most once per interval.
    ///
    /// ```swift
    /// log.every(.seconds(10)).error("the queue is full", ("length", length))
    /// ```
    /// - Parameter interval: A time above zero, on the monotonic clock; zero means no limit. Fractions
    ///   of a nanosecond do not count, and more than 292 years count as 292 years.
    /// - Returns: The limited logger.
    @export(implementation)
    @inline(always)
    public func every(_ interval: Duration) -> Log {
        let nanoseconds = interval.attoseconds / 1_000_000_000
        if nanoseconds <= 0 { return limited(to: 0) }
        return limited(to: -Int64(truncatingIfNeeded: min(nanoseconds, Int128(Int64.max))))
    }

    /// The logger without a category, of whose statements each logs once: as on a value.
    @export(implementation) public static var once: Log {
        @inline(always) get { unnamed.once }
    }

    /// Returns the logger without a category, limited by number: as on a value.
    @export(implementation)
    @inline(always)
    public static func every(_ count: Int) -> Log { unnamed.every(count) }

    /// Returns the logger without a category, limited by time: as on a value.
    @export(implementation)
    @inline(always)
    public static func every(_ interval: Duration) -> Log { unnamed.every(interval) }

    /// The same logger with the limit of the code: see `LimitedSite`.
    @export(implementation)
    @inline(always)
    func limited(to limit: Int64) -> Log {
        var log = self
        log.limit = limit
        return log
    }
}
