// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
public import WinnowCore
internal import WinnowFormatters

/// Writes a record as one message of syslog for another machine: RFC 5424.
///
/// ```
/// <29>1 2026-11-21T09:30:15.123456Z host myapp 10 net [meta sequenceId="7"][origin
///  software="myapp"][timeQuality tzKnown="1" isSynced="1"][winnow@32473 sequence="812"
///  level_sequence="3" run="9f3c01aa" thread="12" category="net" file="Server/Main.swift"
///  line="42" function="start()" module="Server"][fields@32473 host="example.org" port="80"]
///  listening on example.org:80
/// ```
/// (Here broken into lines, with a space in front of each.) No line feed stands at the end, because
/// the transport says where a message ends.
///
/// - PRI is the facility and the level. TIMESTAMP is universal time to the microsecond. HOSTNAME is
///   gethostname(2) as it was when the formatter was made; no name is looked up.
/// - APP-NAME is the identifier, cleaned as a tag of ``LocalSyslogFormatter`` is and cut to 48
///   characters, so that a program has one name at the local daemon and at the far one.
/// - MSGID is the type of the message, by which collectors filter: the record's message ID, which
///   has 32 digits and fits, else its category cut to 32 characters, else `-`.
/// - `meta sequenceId` numbers what one sink hands to its transport, from 1, so that a gap is a loss
///   on the way; after 2147483647 comes 1. It is not the record's own number, which is `sequence`:
///   a sink does not get all records of a process, and `level_sequence`, the number among those of
///   its level, is what `winnow verify` and its like count by.
/// - `timeQuality` says that the zone is known, which it is, and whether the kernel says that the
///   clock is synchronised; `isSynced` is left out where the kernel does not say.
/// - `winnow@…` holds what Winnow knows of the record, and `fields@…` its fields, all of them, in the
///   order of the call. A name that is not legal is made so: at most 32 printable ASCII characters
///   without `=`, `]` and `"`. Of several fields with one name, in whichever case, as rsyslog tells
///   no `a` from an `A`, those after the first get `_2`, `_3` and so on.
///
/// **Texts.** Harmful characters in the message and in values are written as ``Escaping/line`` says.
/// The text is UTF-8 without the byte order mark that the RFC asks for in front of it: rsyslog, and
/// others, would take it for a part of the message. Without it a message is of "any" encoding, which
/// the RFC allows.
///
/// **Length.** A message has at most ``byteCount`` bytes: no receiver need cut it, which could leave
/// structured data without an end. The longest texts are cut, and say how much is missing, as
/// ``BoundedFormatter`` does it.
///
/// Source: RFC 5424, sections 6 and 7.
public struct NetworkSyslogFormatter: Formatter {
    /// The enterprise number that is kept for examples in documentation.
    ///
    /// Source: RFC 5612.
    public static let exampleEnterprise: UInt32 = 32_473
    /// The bytes of a message that receivers take unless told otherwise.
    ///
    /// Source: RFC 5425, section 4.3.1, "SHOULD"; rsyslog's `maxMessageSize`.
    public static let defaultByteCount = 8_192
    /// The greatest bound, which only a stream can carry: well below the 200 000 bytes at which rsyslog
    /// takes a frame for a fault.
    package static let greatestByteCount = 131_072
    /// The smallest bound: the header and what always stands in the structured data fit.
    private static let leastByteCount = 1_024

    /// The longest message in bytes.
    public let byteCount: Int
    private let facility: Facility
    /// HOSTNAME and APP-NAME, each behind a space.
    private let names: [UInt8]
    /// The element `origin`.
    private let origin: [UInt8]
    /// `@` and the enterprise number.
    private let enterprise: [UInt8]
    private let isSynchronized: Bool?

    /// Creates a formatter.
    ///
    /// MT-Safe, AS-Unsafe heap.
    ///
    /// - Parameters:
    ///   - identifier: The name of the program.
    ///   - facility: The part of the system that the records come from.
    ///   - enterprise: The private enterprise number, as IANA registers them, behind the `@` of the
    ///     names that the RFC does not know itself.
    ///   - version: The version of the program, of which 32 bytes are told; nil tells none.
    ///   - byteCount: The longest message in bytes, 1 024 to 131 072: what is
    ///     less or more is taken for these.
    ///   - host: The name of the machine; nil asks the system.
    ///   - isSynchronized: Whether the clock is; nil asks the kernel, at most about once a minute.
    public init(
        identifier: String,
        facility: Facility = .user,
        enterprise: UInt32 = exampleEnterprise,
        version: String? = nil,
        byteCount: Int = defaultByteCount,
        host: String? = nil,
        isSynchronized: Bool? = nil
    ) {
        self.facility = facility
        self.byteCount = min(max(byteCount, Self.leastByteCount), Self.greatestByteCount)
        self.isSynchronized = isSynchronized
        self.enterprise = Array("@\(enterprise)".utf8)
        let application = Self.word(identifier, atMost: 48) { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let host = Self.word(host ?? Self.hostName(), atMost: 255, allowing: isPrintable)
        names = [UInt8(ascii: " ")] + host + [UInt8(ascii: " ")] + application
        origin = Self.origin(of: application, version: version)
    }

    /// Appends the record as one message without a `sequenceId`, which only a sink can give.
    ///
    /// Any thread may call it, but not a signal handler: the buffer may grow.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        format(record, sequenceID: nil, into: &buffer)
    }

    /// Appends the record as one message.
    ///
    /// Any thread may call it, but not a signal handler: the buffer may grow.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - sequenceID: The number of the message on its way, 1 to 2147483647.
    ///   - buffer: Gets the bytes.
    public func format(
        _ record: borrowing Record,
        sequenceID: UInt32?,
        into buffer: inout ByteBuffer
    ) {
        buffer.append(record, atMost: byteCount) { record, buffer in
            appendHeader(of: record, to: &buffer)
            appendKnownElements(of: record, sequenceID: sequenceID, to: &buffer)
            appendElements(of: record, to: &buffer)
            let end = buffer.count
            buffer.append(UInt8(ascii: " "))
            record.appendMessage(to: &buffer, escaping: .line)
            if buffer.count == end + 1 { buffer.truncate(to: end) }
        }
    }
}

extension NetworkSyslogFormatter {
    private func appendHeader(of record: borrowing Record, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "<"))
        buffer.append(decimal: UInt64(facility.rawValue) * 8 + UInt64(record.level.rawValue))
        buffer.append(">1 ")
        buffer.append(rfc3339: record.timestamp)
        buffer.append(names.span)
        buffer.append(UInt8(ascii: " "))
        buffer.append(decimal: Int64(record.processID))
        buffer.append(UInt8(ascii: " "))
        appendMessageType(of: record, to: &buffer)
        buffer.append(UInt8(ascii: " "))
    }

    private func appendMessageType(of record: borrowing Record, to buffer: inout ByteBuffer) {
        let start = buffer.count
        if record.fieldCount > 0 {
            record.forEachFieldSpan { name, _, text, _ in
                guard buffer.count == start, isMessageID(name) else { return }
                buffer.append(word: text, atMost: 32, allowing: isPrintable)
            }
        }
        if buffer.count == start {
            record.withCategory { buffer.append(word: $0, atMost: 32, allowing: isPrintable) }
        }
        if buffer.count == start { buffer.append(UInt8(ascii: "-")) }
    }

    /// Appends the elements that the RFC registers.
    private func appendKnownElements(
        of record: borrowing Record,
        sequenceID: UInt32?,
        to buffer: inout ByteBuffer
    ) {
        if let sequenceID {
            buffer.append("[meta sequenceId=\"")
            buffer.append(decimal: UInt64(sequenceID))
            buffer.append("\"]")
        }
        buffer.append(origin.span)
        buffer.append("[timeQuality tzKnown=\"1\"")
        if let isSynced = isSynchronized ?? ClockQuality.isSynchronized(at: record.timestamp) {
            buffer.append(isSynced ? " isSynced=\"1\"" : " isSynced=\"0\"" as StaticString)
        }
        buffer.append(UInt8(ascii: "]"))
    }

    /// Appends Winnow's own elements.
    private func appendElements(of record: borrowing Record, to buffer: inout ByteBuffer) {
        var data = StructuredData()
        begin("[winnow", in: &buffer)
        data.append("sequence", .unsigned(record.sequence), to: &buffer)
        data.append("level_sequence", .unsigned(record.levelSequence), to: &buffer)
        buffer.append(" run=\"")
        buffer.append(hexadecimal: record.run)
        buffer.append(UInt8(ascii: "\""))
        data.append("thread", .integer(Int64(record.threadID)), to: &buffer)
        record.withCategory { category in
            guard !category.isEmpty else { return }
            data.append("category", .text, text: category, to: &buffer)
        }
        let line = UInt64(record.header.line)
        record.withLocation { file, function, module in
            data.append("file", .text, text: file, to: &buffer)
            data.append("line", .unsigned(line), to: &buffer)
            data.append("function", .text, text: function, to: &buffer)
            data.append("module", .text, text: module, to: &buffer)
        }
        buffer.append(UInt8(ascii: "]"))
        appendFields(of: record, with: &data, to: &buffer)
    }

    private func appendFields(
        of record: borrowing Record,
        with data: inout StructuredData,
        to buffer: inout ByteBuffer
    ) {
        guard record.fieldCount > 0 else { return }
        begin("[fields", in: &buffer)
        record.forEachFieldSpan { name, value, text, _ in
            data.append(field: name, value, text: text, to: &buffer)
        }
        buffer.append(UInt8(ascii: "]"))
    }

    private func begin(_ name: StaticString, in buffer: inout ByteBuffer) {
        buffer.append(name)
        buffer.append(enterprise.span)
    }
}

extension NetworkSyslogFormatter {
    private static func origin(of application: [UInt8], version: String?) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("[origin software=\"")
        buffer.append(application.span)
        if let version {
            buffer.append("\" swVersion=\"")
            let cut = word(version, atMost: 32) { 0x20...0x7E ~= $0 }
            buffer.append(parameterValue: cut.span)
        }
        buffer.append("\"]")
        return buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Returns the text as a word of the header; `-` where it is empty.
    private static func word(
        _ text: String,
        atMost limit: Int,
        allowing isAllowed: (UInt8) -> Bool
    ) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append(word: Array(text.utf8).span, atMost: limit, allowing: isAllowed)
        if buffer.count == 0 { buffer.append(UInt8(ascii: "-")) }
        return buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private static func hostName() -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // SAFETY: the call writes at most 256 bytes and always terminates them.
            let base = unsafe buffer.baseAddress.unsafelyUnwrapped
            unsafe cwinnow_system_host(base, 256)
            return unsafe String(cString: base)
        }
    }
}

/// Whether the byte is a character that may stand in the header.
///
/// Source: RFC 5424, section 6, `PRINTUSASCII`.
private func isPrintable(_ byte: UInt8) -> Bool {
    0x21...0x7E ~= byte
}

/// Whether a field is the one that holds the record's message ID.
private func isMessageID(_ name: Span<UInt8>) -> Bool {
    let wanted: StaticString = "message_id"
    guard name.count == wanted.utf8CodeUnitCount else { return false }
    return wanted.withUTF8Buffer { wanted in
        // SAFETY: the bytes of a literal live as long as the program.
        let wanted = unsafe wanted.span
        return name.indices.allSatisfy { name[$0] == wanted[$0] }
    }
}

/// What the kernel says of its clock.
private enum ClockQuality {
    /// The answer that was had last, in the lowest two bits, and above them the time for which it
    /// holds, in units of 2³⁶ ns, 69 s.
    private static let lastAnswer = Atomic<UInt64>(0)

    /// Whether the clock is synchronised; nil where the kernel does not say.
    static func isSynchronized(at timestamp: UInt64) -> Bool? {
        let minute = timestamp &>> 36
        var known = lastAnswer.load(ordering: .relaxed)
        if known &>> 2 != minute || known == 0 {
            // 0 where the kernel does not say, else 1 and the answer.
            let answer = cwinnow_clock_is_synchronized() + 1
            known = minute &<< 2 | UInt64(max(answer, 0))
            lastAnswer.store(known, ordering: .relaxed)
        }
        return known & 3 == 0 ? nil : known & 3 == 2
    }
}
