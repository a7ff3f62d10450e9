// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore
internal import WinnowPipeline

/// A category at a level, and what every form of a log statement does with them.
@frozen
@usableFromInline
struct Statement: Sendable {
    @usableFromInline let log: Log
    /// The raw value of the level: a literal, so that the test of the floor folds without an
    /// optimizer too.
    @usableFromInline let level: UInt8

    @export(implementation)
    @inline(always)
    init(log: Log, level: UInt8) {
        self.log = log
        self.level = level
    }

    /// Opens a record where the filter lets it through, one load of the category's mask; and where
    /// the rate limit does, which is looked at behind the gate.
    ///
    /// Returns the call, whose message is waited for. The statement's part in the program is one call
    /// here and one in ``close(_:)``: what more is inlined is compiled again for each.
    @export(implementation)
    @inline(always)
    func open(
        _ file: StaticString,
        _ function: StaticString,
        _ line: UInt32,
        _ column: UInt32,
        floor: Int32
    ) -> OpenCall? {
        guard isLetThrough else { return nil }
        noteBegin(file, line, floor)
        let opened = unsafe openRecord(
            log,
            EncodedLiteral(file),
            EncodedLiteral(function),
            StatementPlace(line: line, column: column, level: level)
        )
        guard let start = unsafe opened.start else { return nil }
        return unsafe OpenCall(start: start, next: opened.next)
    }

    /// Opens a record of what other code hands over, whose place and text are no literals; where there is no place, no
    /// rule is for it.
    func open(at location: SourceLocation?, saying text: String) -> OpenCall? {
        let place = StatementPlace(line: 0, column: 0, level: level)
        let isDecided = unsafe Pipeline.isRunning && place.detour(of: log.cell) == 0
        guard isDecided || Gate.admits(log, level, location, text) else { return nil }
        return open("", "", 0, 0, floor: Self.unnoted)
    }

    /// The floor of a statement within the library, where none is noted.
    static var unnoted: Int32 { 7 }

    @export(implementation) var isLetThrough: Bool {
        @inline(__always) get {
            unsafe cwinnow_category_mask(log.cell) & (1 &<< UInt32(level)) != 0
        }
    }

    /// Notes the statement in the program's table, which is read by `winnow stripped`.
    @export(implementation)
    @inline(always)
    func noteBegin(_ file: StaticString, _ line: UInt32, _ floor: Int32) {
        guard file.hasPointerRepresentation else { return }
        unsafe cwinnow_statement_note(file.utf8Start, line, Int32(level), floor)
    }

    /// Notes that the message of the statement is complete.
    @export(implementation)
    @inline(always)
    func noteEnd() {
        cwinnow_statement_note_end()
    }

    /// Takes a message that was not written into the buffer of this call, so that fields may be
    /// appended.
    @export(implementation)
    @inline(always)
    func adopt(_ message: inout LogMessage, for call: OpenCall) {
        noteEnd()
        message.encoder.adopt(for: call)
    }

    /// Ends the open record, which is delivered or left to the worker; takes the message's memory.
    @export(implementation)
    @inline(__always)
    func close(_ message: inout LogMessage) {
        close(&message, 0)
    }

    /// The same with a message that was not adopted for the call.
    @export(implementation)
    @inline(__always)
    func close(_ message: inout LogMessage, for call: OpenCall) {
        if message.encoder.isUnplacedLiteral {
            unsafe closeRecord(log.context, literal: message.encoder.tags, call.start)
        } else {
            close(&message, message.encoder.token ^ call.token)
        }
    }

    @export(implementation)
    @inline(__always)
    func close(_ message: inout LogMessage, _ difference: UInt64) {
        unsafe closeRecord(
            log.context,
            message.encoder.tags,
            message.encoder.tagSlot,
            message.encoder.owner.take(),
            message.encoder.position,
            difference
        )
    }
}
