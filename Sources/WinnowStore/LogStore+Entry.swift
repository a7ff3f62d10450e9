// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

extension LogStore {
    /// An entry of the journal: a copy of all its fields.
    ///
    /// What it says of itself is what its writer said, and any program may write anything. Only
    /// fields whose names begin with an underscore are journald's word.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Entry: Sendable, Hashable {
        /// One field; a name may occur more than once in an entry.
        ///
        /// A value: MT-Safe, AS-Unsafe heap.
        public struct Field: Sendable, Hashable {
            /// The name as it stands in the journal: `REQUEST_ID`.
            public let name: String
            /// The value, whole and as it is.
            public let bytes: [UInt8]

            /// The value as text, where what is not UTF-8 has become U+FFFD.
            public var text: String { String(decoding: bytes, as: UTF8.self) }
        }

        /// The place of the entry, for ``Position/after(cursor:)``.
        public let cursor: String
        /// When the journal received the entry, in nanoseconds since 1970, to the microsecond.
        public let receiptTimestamp: UInt64
        /// Whether all fields could be read; a damaged file, or one with a compression that this
        /// machine's libsystemd does not know, may hold some back.
        public let isComplete: Bool
        /// The fields one behind the other, each `NAME=value`.
        let storage: [UInt8]
        let ranges: [FieldRange]
    }

    /// Where a field lies in the storage of its entry.
    struct FieldRange: Sendable, Hashable {
        let start: Int
        let nameEnd: Int
        let end: Int
    }
}

extension LogStore.Entry {
    /// The fields, in the journal's order.
    public var fields: [Field] { ranges.map(field) }

    /// Returns the fields of that name, in the journal's order.
    public func fields(named name: String) -> [Field] {
        ranges.filter { has(name, $0) }.map(field)
    }

    /// Returns the first field of that name, as text.
    public subscript(name: String) -> String? {
        value(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The level, by `PRIORITY`; nil where there is none, or none of the eight.
    public var level: Level? {
        number(of: "PRIORITY").flatMap { UInt8(exactly: $0) }.flatMap(Level.init(rawValue:))
    }

    /// The message; empty where there is none.
    public var message: String { self["MESSAGE"] ?? "" }

    /// The program's name for itself.
    public var identifier: String? { self["SYSLOG_IDENTIFIER"] }

    /// The category, where Winnow logged in one.
    public var category: String? { self["CATEGORY"] }

    /// When it happened, in nanoseconds since 1970, to the microsecond.
    ///
    /// `WINNOW_TIMESTAMP`, the time of the log call; where there is none
    /// `_SOURCE_REALTIME_TIMESTAMP`, the time at which the message was sent; else
    /// ``receiptTimestamp``.
    public var timestamp: UInt64 {
        for name in ["WINNOW_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP"] {
            guard let microseconds = number(of: name) else { continue }
            let (nanoseconds, isTooMuch) = microseconds.multipliedReportingOverflow(by: 1_000)
            if !isTooMuch { return nanoseconds }
        }
        return receiptTimestamp
    }

    /// The process that wrote it, by journald's word, else by the writer's own, `SYSLOG_PID`.
    public var processID: Int32? {
        (number(of: "_PID") ?? number(of: "SYSLOG_PID")).flatMap(Int32.init(exactly:))
    }

    /// The thread that logged, where Winnow or another that says so did.
    public var threadID: Int32? {
        number(of: "TID").flatMap(Int32.init(exactly:))
    }

    /// The number of the record in its process, where Winnow logged it.
    public var sequence: UInt64? { number(of: "WINNOW_SEQUENCE") }

    /// The number of the record among those of its level, where Winnow logged it.
    public var levelSequence: UInt64? { number(of: "WINNOW_LEVEL_SEQUENCE") }

    /// What tells the run of the program from others, where Winnow logged the record.
    public var run: UInt32? { self["WINNOW_RUN"].flatMap { UInt32($0, radix: 16) } }

    /// Where the log call stands in the source, by `CODE_FILE`, `CODE_FUNC` and `CODE_LINE`.
    ///
    /// The file is `Module/File.swift` where Winnow logged, and a path where C did.
    public var location: SourceLocation? {
        guard let file = self["CODE_FILE"] else { return nil }
        return SourceLocation(
            fileID: file,
            function: self["CODE_FUNC"] ?? "",
            line: number(of: "CODE_LINE").flatMap { UInt32(exactly: $0) } ?? 0
        )
    }
}

extension LogStore.Entry {
    private func field(_ range: LogStore.FieldRange) -> Field {
        Field(
            name: String(decoding: storage[range.start..<range.nameEnd], as: UTF8.self),
            bytes: Array(storage[(range.nameEnd + 1)..<range.end])
        )
    }

    private func has(_ name: String, _ range: LogStore.FieldRange) -> Bool {
        range.nameEnd - range.start == name.utf8.count
            && storage[range.start..<range.nameEnd].elementsEqual(name.utf8)
    }

    private func value(of name: String) -> ArraySlice<UInt8>? {
        ranges.first { has(name, $0) }.map { storage[($0.nameEnd + 1)..<$0.end] }
    }

    /// The value of the first field of that name, where it is a decimal number.
    private func number(of name: String) -> UInt64? {
        guard let digits = value(of: name), !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tenfold, isTooMuch) = number.multipliedReportingOverflow(by: 10)
            let (sum, isMore) = tenfold.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isTooMuch, !isMore else { return nil }
            number = sum
        }
        return number
    }
}
