// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// Writes a record as the syslog daemon of the same machine reads it from `/dev/log`.
///
/// ```
/// <29>Nov 21 10:30:15 myapp[10]: [net] listening on example.org:80 backlog=128
/// ```
/// Facility and level in one number, the local time, the identifier and the process; then the
/// category, the message and the fields as ``TextFormatter`` writes them. There is no host name,
/// because the local form has none, and no line feed at the end, because a datagram ends by itself.
///
/// RFC 5424 is no alternative here: of a message in that form rsyslog takes `1` for the identifier
/// and drops the structured data, and journald takes all of it for the text.
///
/// Source: RFC 3164, section 4.1, without the host as syslog(3) leaves it out.
public struct LocalSyslogFormatter: Formatter {
    /// The identifier with only what every daemon takes for a part of one; not empty.
    private let tag: [UInt8]
    private let facility: Facility

    /// Creates a formatter.
    ///
    /// MT-Safe, AS-Unsafe heap.
    ///
    /// - Parameters:
    ///   - identifier: The name of the program. Every character but `A`–`Z`, `a`–`z`, `0`–`9`,
    ///     `.`, `_` and `-` becomes `_`, because daemons end a name at most others; what exceeds
    ///     32 characters is cut off, and an empty name becomes `-`.
    ///   - facility: The part of the system that the records come from.
    public init(identifier: String, facility: Facility = .user) {
        let cleaned = identifier.unicodeScalars.prefix(32).map { scalar -> UInt8 in
            switch scalar {
            case "A"..."Z", "a"..."z", "0"..."9", ".", "_", "-": UInt8(scalar.value)
            default: UInt8(ascii: "_")
            }
        }
        tag = cleaned.isEmpty ? [UInt8(ascii: "-")] : cleaned
        self.facility = facility
    }

    /// Appends the record as one message.
    ///
    /// Any thread may call it, but not a signal handler: localtime_r(3) takes a lock.
    public func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "<"))
        buffer.append(decimal: UInt64(facility.rawValue) * 8 + UInt64(record.level.rawValue))
        buffer.append(UInt8(ascii: ">"))
        buffer.append(rfc3164: CivilTime(local: record.timestamp))
        buffer.append(UInt8(ascii: " "))
        buffer.append(tag.span)
        buffer.append(UInt8(ascii: "["))
        buffer.append(decimal: Int64(record.processID))
        buffer.append("]: ")
        appendCategoryAndMessage(of: record, to: &buffer)
        FieldText().appendFieldsBesideMessage(of: record, to: &buffer)
    }
}
