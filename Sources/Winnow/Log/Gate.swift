// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
public import WinnowCore
internal import WinnowPipeline

// The border between what is inlined into the client and the pipeline: one call at the beginning of a
// statement, and one at its end. They are functions and not methods, whose metatype argument would make
// the optimizer emit them twice. They take no more arguments than there are registers, and the short way
// calls nothing, so that it saves no registers. Not every call of the long way is a tail call: so LLVM
// sets up a stack frame there, and only there.

/// Opens a record and writes its header; starts the system with the first of the process.
///
/// Returns what the statement arms the cursor with: where the arguments begin, nil where the
/// filter, the rate limit or a full queue holds the call back; and the count of the thread's calls.
/// Keeps errno.
@usableFromInline
@inline(never)
func openRecord(
    _ log: Log,
    _ file: EncodedLiteral,
    _ function: EncodedLiteral,
    _ place: StatementPlace
) -> (start: UnsafeMutablePointer<UInt8>?, next: UInt64) {
    // Only the long way knows limits, and orders from outside. A logger with fields comes to the ring there as well:
    // were its context not looked at here, the optimizer would make a function of its own without it.
    // One test of three words: a branch of its own for each is an instruction more.
    let detour = unsafe UInt(place.detour(of: log.cell))
    let context = unsafe unsafeBitCast(log.context, to: UInt.self)
    if detour | UInt(bitPattern: Int(log.limit)) | context == 0 {
        if let start = unsafe cwinnow_ring_open(place.level) {
            unsafe Gate.writeHeader(before: start, log, file, function, place)
            return unsafe (start, cwinnow_cursor_next())
        }
        if let start = unsafe cwinnow_cursor_open_at_once() {
            // Here and not behind the header, so that the two ways have no end in common.
            let next = cwinnow_cursor_next()
            unsafe Gate.writeHeader(before: start, log, file, function, place)
            return unsafe (start, next)
        }
    }
    // The way of a limit needs to know the code of the statement. As an argument it would have the short ways
    // set up a stack frame.
    cwinnow_cursor_note_caller()
    let start = unsafe openRecordTheLongWay(log, file, function, place)
    return unsafe (start, cwinnow_cursor_next())
}

/// Opens a record the long way: the first of the process, which starts the log, the first of a thread,
/// which makes its buffers, one within an open call, with a rate limit, or of a category whose mask does not say all.
@inline(never)
private func openRecordTheLongWay(
    _ log: Log,
    _ file: EncodedLiteral,
    _ function: EncodedLiteral,
    _ place: StatementPlace
) -> UnsafeMutablePointer<UInt8>? {
    if log.limit != 0 { return unsafe openLimitedRecord(log, file, function, place) }
    if unsafe place.detour(of: log.cell) == 0,
        let start = unsafe cwinnow_ring_open(place.level)
    {
        unsafe Gate.writeHeader(before: start, log, file, function, place)
        return unsafe start
    }
    guard let place = Gate.decided(log, file, place) else { return nil }
    return unsafe Gate.open(log, file, function, place)
}

/// Opens a record of a statement with a rate limit, which the code that was noted logs.
///
/// While it is open, its header has a site in the place of the file, which the end puts back.
@inline(never)
private func openLimitedRecord(
    _ log: Log,
    _ file: EncodedLiteral,
    _ function: EncodedLiteral,
    _ place: StatementPlace
) -> UnsafeMutablePointer<UInt8>? {
    let code = cwinnow_cursor_caller()
    guard let place = Gate.decided(log, file, place),
        let site = Gate.site(log, file, place, code)
    else { return nil }
    return unsafe Gate.open(log, site.literal, function, place.limited)
}

/// Ends the record that was opened last on this thread.
///
/// - Parameters:
///   - context: The fields of the logger.
///   - tags: The open tag word.
///   - tagSlot: Where that goes.
///   - owner: The message's own memory, where it is not in the call's buffer.
///   - position: Where the next item of the message would go.
///   - difference: The XOR of the message's token and the call's: 0 if the message was begun in the call's
///     buffer, or was adopted.
@usableFromInline
@inline(never)
func closeRecord(
    _ context: LogContext?,
    _ tags: UInt64,
    _ tagSlot: UnsafeMutableRawPointer,
    _ owner: consuming DetachedBuffer?,
    _ position: UnsafeMutableRawPointer,
    _ difference: UInt64
) {
    guard difference == 0, owner == nil else {
        return unsafe closeRecordTheLongWay(context, tags, tagSlot, owner, position, difference)
    }
    unsafe tagSlot.storeBytes(of: tags, as: UInt64.self)
    guard let ring = unsafe cwinnow_ring_opened() else {
        guard context == nil, !LogContext.isBound, !Gate.isMarked else {
            return unsafe closeRecordTheLongWay(context, tags, tagSlot, nil, position, 0)
        }
        return unsafe Pipeline.close(upTo: position)
    }
    let mustWake =
        unsafe context == nil && cwinnow_ring_closes_at_once(ring)
        ? cwinnow_ring_close(ring, position, cwinnow_stamp_ticks())
        : closeRecordInRing(context, tags, tagSlot, position, ring)
    if mustWake { Pipeline.wakeWorker() }
}

/// Ends the record that was opened last on this thread, with a message that is a literal, whose
/// word it is.
@usableFromInline
@inline(never)
func closeRecord(
    _ context: LogContext?,
    literal word: UInt64,
    _ start: UnsafeMutableRawPointer
) {
    cwinnow_cursor_disarm()
    unsafe start.storeBytes(of: word, toByteOffset: 8, as: UInt64.self)
    unsafe closeRecord(context, EncodedKind.literal, start, nil, start + 16, 0)
}

/// Ends the record that lies in the ring, with the fields of the logger and of the task.
///
/// Returns whether the worker must be woken.
@inline(never)
private func closeRecordInRing(
    _ context: LogContext?,
    _ tags: UInt64,
    _ tagSlot: UnsafeMutableRawPointer,
    _ position: UnsafeMutableRawPointer,
    _ ring: UnsafeMutablePointer<cwinnow_ring>
) -> Bool {
    let ofTask = LogContext.isBound ? LogContext.ofTask : nil
    if context == nil, ofTask == nil {
        return unsafe cwinnow_ring_close(ring, position, cwinnow_stamp())
    }
    var end: EncodedFields.End? = unsafe (position, tagSlot, tags)
    if let context { unsafe end = unsafe end.flatMap { unsafe context.copy(behind: $0) } }
    if let ofTask { unsafe end = unsafe end.flatMap { unsafe ofTask.copy(behind: $0) } }
    guard let end = unsafe end else {
        // There is no room for both: none of them was copied, or the first is overwritten.
        var message = unsafe LogMessage.StringInterpolation(position, tagSlot, tags, nil)
        message.append(context, ofTask)
        Pipeline.close(message)
        return false
    }
    return unsafe cwinnow_ring_close(ring, end.position, cwinnow_stamp())
}

/// Ends the record, if its text is one that is let through, with how many calls of a rate-limited statement were held
/// back since the last one, and the fields of the logger and of the task.
@inline(never)
private func closeRecordTheLongWay(
    _ context: LogContext?,
    _ tags: UInt64,
    _ tagSlot: UnsafeMutableRawPointer,
    _ owner: consuming DetachedBuffer?,
    _ position: UnsafeMutableRawPointer,
    _ difference: UInt64
) {
    var message = unsafe LogMessage.StringInterpolation(position, tagSlot, tags, owner)
    if difference != 0 || message.owner != nil { message.adopt() }
    guard Gate.isWanted(message) else { return Pipeline.discard() }
    guard let (site, place) = Gate.takeLimited() else { return closeRecord(message, context) }
    guard let statement = Gate.statement(of: site, place, message) else {
        return Pipeline.discard()
    }
    statement.tellSuppressed(at: place.level) { count in
        if count > 0 { message.appendField("suppressed", count) }
        closeRecord(message, context)
    }
}

private func closeRecord(_ message: LogMessage.StringInterpolation, _ context: LogContext?) {
    var message = message
    if context != nil || LogContext.isBound {
        message.append(context, LogContext.isBound ? LogContext.ofTask : nil)
    }
    Pipeline.close(message)
}

extension LogMessage.StringInterpolation {
    /// Appends the fields of the logger, and of the task, behind all others.
    fileprivate mutating func append(_ ofLogger: LogContext?, _ ofTask: LogContext?) {
        ofLogger?.append(to: &self)
        ofTask?.append(to: &self)
    }
}

/// What the ways through the door have in common.
@usableFromInline
enum Gate {
    /// Writes the header of a record, whose message begins there.
    @inline(__always)
    static func writeHeader(
        before start: UnsafeMutablePointer<UInt8>,
        _ log: Log,
        _ file: EncodedLiteral,
        _ function: EncodedLiteral,
        _ place: StatementPlace
    ) {
        // SAFETY: the room for a header lies in front of the arguments.
        let header = unsafe UnsafeMutableRawPointer(start - CallHeader.byteCount)
            .assumingMemoryBound(to: CallHeader.self)
        unsafe header.pointee.category = unsafe log.cell
        unsafe header.pointee.file = file
        unsafe header.pointee.function = function
        unsafe header.pointee.place = place
    }

    /// Sets the line of the open record, where it was not known when that was opened.
    static func setLine(_ line: UInt32) {
        unsafe header.pointee.place = unsafe header.pointee.place.inLine(line)
    }

    /// The header of the open record.
    static var header: UnsafeMutablePointer<CallHeader> {
        // SAFETY: the call is open, so that its header lies in front of its arguments.
        unsafe cwinnow_cursor_header().assumingMemoryBound(to: CallHeader.self)
    }

    /// Whether the rate limit of a logger lets an interval through; starts the system with the first of
    /// the process, as what the filter holds back takes nothing from a budget.
    ///
    /// Keeps errno.
    @usableFromInline
    @inline(never)
    static func admits(_ log: Log, _ file: EncodedLiteral, _ place: StatementPlace) -> Bool {
        guard decided(log, file, place) != nil else { return false }
        return keepingErrno {
            let site = LimitedSite.ofInterval(file, place)
            return unsafe site.admits(limit: log.limit, category: log.cell, level: place.level)
        }
    }

    /// Returns the site of a statement with a rate limit that the filter lets through; nil where the limit holds it
    /// back.
    ///
    /// At the first call of a code, and where a rule asks for the text, it is the site of the code, and its message
    /// decides.
    ///
    /// Keeps errno.
    static func site(
        _ log: Log,
        _ file: EncodedLiteral,
        _ place: StatementPlace,
        _ code: UInt
    ) -> LimitedSite? {
        keepingErrno {
            let site = LimitedSite.ofCode(code, file, place)
            // What the text holds back takes nothing from the budget.
            guard let statement = site.statement, !place.isForText else {
                site.limit.store(log.limit, ordering: .relaxed)
                return site
            }
            let isAdmitted = unsafe statement.admits(
                limit: log.limit,
                category: log.cell,
                level: place.level
            )
            return isAdmitted ? statement : nil
        }
    }

    private static func keepingErrno<Result>(_ body: () -> Result) -> Result {
        let savedErrno = cwinnow_errno()
        defer { cwinnow_set_errno(savedErrno) }
        return body()
    }

    /// Returns the statement of an open record with a rate limit; nil where the site is that of a code, and
    /// the limit of the statement, which the message tells, holds the record back.
    static func statement(
        of site: LimitedSite,
        _ place: StatementPlace,
        _ message: LogMessage.StringInterpolation
    ) -> LimitedSite? {
        if site.isStatement { return site }
        let start = unsafe cwinnow_cursor_header() + CallHeader.byteCount
        let hash = unsafe message.hashOfLiterals(from: start)
        let statement = site.statement(ofLiterals: hash, at: place)
        let isAdmitted = unsafe statement.admits(
            limit: site.limit.load(ordering: .relaxed),
            category: header.pointee.category,
            level: place.level
        )
        return isAdmitted ? statement : nil
    }

    /// Whether the end of the open record has something to decide.
    static var isMarked: Bool { unsafe header.pointee.place.isMarked }

    /// Returns the site that the header of the open record leads to, where it has a rate limit, and puts the
    /// file back there.
    static func takeLimited() -> (site: LimitedSite, place: StatementPlace)? {
        let header = unsafe header
        let place = unsafe header.pointee.place
        guard place.isLimited, let site = unsafe LimitedSite.at(literal: header.pointee.file) else {
            return nil
        }
        unsafe header.pointee.file = site.file
        return (site, place)
    }
}
