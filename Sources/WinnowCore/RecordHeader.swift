// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// What the pipeline and the call site know of a record besides its arguments.
///
/// In a record that is stored outside of a ring, it precedes the arguments. Its last part is what the call
/// writes in front of its arguments: so the header is completed in place, and a record that is delivered
/// at once is not copied.
@frozen
@safe
@usableFromInline
package struct RecordHeader {
    /// The bytes that are kept for a header in front of an encoding that is kept.
    @usableFromInline package static var byteCount: Int {
        @export(implementation) @inline(__always) get { callOffset + CallHeader.byteCount }
    }

    /// Where in a header that of its call begins.
    @usableFromInline package static var callOffset: Int {
        @export(implementation) @inline(__always) get { 32 }
    }

    /// The number of the record; 0 for one that the pipeline made itself.
    @usableFromInline package var sequence: UInt64 = 0
    /// The number of the record among those of its level; 0 as above.
    @usableFromInline package var levelSequence: UInt64 = 0
    @usableFromInline package var threadID: Int32 = 0
    @usableFromInline package var processID: Int32 = 0
    /// What tells this run of the process from others.
    @usableFromInline package var run: UInt32 = 0
    /// 1 in a record that is kept and that a sink has logged, 0 in another that is kept.
    @usableFromInline package var isOfSink: UInt32 = 0
    /// What the call has written, with the time in the place of the stamp.
    @usableFromInline var call: CallHeader

    /// Creates the header of a record whose call has written the header, with arguments of so many
    /// bytes.
    @export(implementation)
    package init(at call: UnsafePointer<CallHeader>, argumentByteCount: UInt64) {
        self.call = unsafe call.pointee
        byteCount = UInt64(Self.byteCount) + argumentByteCount
    }
}

extension RecordHeader {
    /// Creates a header for a category and a level, with the place of the statement.
    package init(
        category: UnsafeMutablePointer<cwinnow_cell>,
        level: Level,
        file: EncodedLiteral = EncodedLiteral(""),
        function: EncodedLiteral = EncodedLiteral(""),
        line: UInt32 = 0
    ) {
        call = unsafe CallHeader(
            category: category,
            file: file,
            function: function,
            place: StatementPlace(line: line, column: 0, level: level.rawValue)
        )
    }

    /// Header and arguments together, in bytes.
    @export(implementation) package var byteCount: UInt64 {
        get { call.ringWord }
        set { call.ringWord = newValue }
    }

    /// Nanoseconds since 1970.
    @export(implementation) package var timestamp: UInt64 {
        get { call.stamp }
        set { call.stamp = newValue }
    }

    /// The severity.
    @export(implementation) package var level: Level {
        // SAFETY: the statement has made the place of a level.
        unsafe unsafeBitCast(call.place.level, to: Level.self)
    }

    @export(implementation) package var category: UnsafeMutablePointer<cwinnow_cell> {
        unsafe call.category
    }

    @export(implementation) package var file: EncodedLiteral {
        get { call.file }
        set { call.file = newValue }
    }

    @export(implementation) package var function: EncodedLiteral { call.function }

    @export(implementation) package var line: UInt32 {
        get { call.place.line }
        set { call.place = call.place.inLine(newValue) }
    }
}
