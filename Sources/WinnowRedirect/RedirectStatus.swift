// SPDX-License-Identifier: Apache-2.0

/// What a redirect has seen and done.
///
/// Lines that were looked at add up: ``taken`` = ``logged`` + ``collapsed`` + ``blank`` + ``passed`` +
/// ``dropped`` + ``lost`` and those that wait. What is decided by the origin alone is counted by calls, in ``origins``, as it is
/// not put together to lines.
public struct RedirectStatus: Sendable, Hashable {
    /// What one origin has printed.
    public struct Origin: Sendable, Hashable {
        /// The origin.
        public let origin: LineOrigin
        /// The calls that were passed on unread.
        public let passedCalls: UInt64
        /// The calls that were discarded unread.
        public let droppedCalls: UInt64
    }

    /// Whether a redirect runs.
    public let isRunning: Bool
    /// How many entries of the program's tables lead to hooks; 0 where nothing can be hooked.
    public let hookCount: Int
    /// The descriptors that are captured.
    public let capturedStreams: Set<PrintedStream>
    /// The hooked functions that the program itself defines, as one built with a sanitizer does:
    /// its own code calls them without a table, and only captured descriptors see that.
    public let unseenFunctions: [String]
    /// Whether the program has the symbols by which origins are exact.
    public let hasSymbols: Bool
    /// The lines that came to the rules.
    public let taken: UInt64
    /// The lines that were logged, or handed to the log's filter.
    public let logged: UInt64
    /// The lines that equal one that was logged, and are told by their number alone.
    public let collapsed: UInt64
    /// The lines that were to be logged, and had nothing in them but blanks.
    public let blank: UInt64
    /// The lines that were printed after all.
    public let passed: UInt64
    /// The lines that were discarded by rule.
    public let dropped: UInt64
    /// The lines that found no room in the queue, and those that were to be printed after all where
    /// the stream does not take them: nobody reads it any more, or no space is left.
    public let lost: UInt64
    /// All origins that have printed anything.
    public let origins: [Origin]
}

extension RedirectStatus: CustomStringConvertible {
    /// The account of the lines, and a line for each origin's calls.
    ///
    /// MT-Safe, AS-Unsafe heap.
    public var description: String {
        let streams = PrintedStream.allCases.filter(capturedStreams.contains).map { "\($0)" }
        let captured = streams.isEmpty ? "none" : streams.joined(separator: ", ")
        var text = "redirect \(isRunning ? "running" : "stopped"), hooks \(hookCount), "
        text += "captured descriptors: \(captured)"
        if !unseenFunctions.isEmpty {
            text += "; not hooked: \(unseenFunctions.joined(separator: ", "))"
        }
        text += "\nlines: taken \(taken), logged \(logged), collapsed \(collapsed), "
        text += "blank \(blank), passed \(passed), dropped \(dropped), lost \(lost)"
        let lines = origins.map(\.description)
        return ([text] + lines).joined(separator: "\n")
    }
}

extension RedirectStatus.Origin: CustomStringConvertible {
    /// The origin and its calls, whose text nobody has read.
    ///
    /// MT-Safe, AS-Unsafe heap.
    public var description: String {
        "\(origin): calls passed \(passedCalls), dropped \(droppedCalls)"
    }
}
