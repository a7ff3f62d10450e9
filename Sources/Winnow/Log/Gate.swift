// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore
internal import WinnowPipeline

/// The door between what is inlined into the client and the pipeline.
@usableFromInline
enum Gate {
    /// Whether the rate limit of a logger lets this call of the statement through; starts the system
    /// with the first of the process, as what the filter holds back takes nothing from a budget.
    ///
    /// Keeps errno.
    @usableFromInline
    @inline(never)
    static func admits(
        _ log: Log,
        _ level: UInt8,
        _ file: StaticString,
        _ line: UInt32,
        _ column: UInt32
    ) -> Bool {
        if !Pipeline.isRunning { Startup.startFromEnvironment() }
        guard unsafe cwinnow_category_mask(log.cell) & (1 &<< UInt32(level)) != 0 else {
            return false
        }
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        let site = CallSite.at(file, line, column)
        return unsafe site.admits(limit: log.limit, category: log.cell, level: level)
    }

    /// Opens a record; starts the system with the first of the process.
    ///
    /// Nil where it is filtered.
    @usableFromInline
    @inline(never)
    static func open(
        _ cell: UnsafeMutablePointer<cwinnow_category>,
        _ level: UInt8
    ) -> UnsafeMutablePointer<UInt8>? {
        if !Pipeline.isRunning { Startup.startFromEnvironment() }
        guard let level = Level(rawValue: level), let start = unsafe Pipeline.open(cell, level)
        else { return nil }
        return unsafe start.assumingMemoryBound(to: UInt8.self)
    }

    /// Ends the record that was opened last on this thread, the long way: with how many calls of a
    /// rate-limited statement were held back since the last one, and the fields of the logger and of
    /// the task.
    @usableFromInline
    @inline(never)
    static func close(
        _ parts: LogMessage.StringInterpolation.Parts,
        _ log: Log,
        _ file: StaticString,
        _ line: UInt32,
        _ column: UInt32
    ) {
        if log.limit == 0, log.context == nil, !LogContext.isBound {
            return unsafe Pipeline.close(parts)
        }
        var encoder = unsafe LogMessage.StringInterpolation(parts)
        if log.limit != 0 {
            let suppressed = CallSite.at(file, line, column).takeSuppressed()
            if suppressed > 0 { encoder.appendField("suppressed", suppressed) }
        }
        encoder.appendContext(log.context?.fields, LogContext.ofTask?.fields)
        unsafe Pipeline.close(encoder.parts)
    }

    /// Wakes the worker.
    @usableFromInline
    @inline(never)
    static func wakeWorker() {
        Pipeline.wakeWorker()
    }
}
