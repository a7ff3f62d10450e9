// SPDX-License-Identifier: Apache-2.0

import WinnowCore

/// Writes the message, as it is, and a line feed.
struct PlainFormatter: Formatter {
    func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        record.appendMessage(to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
    }
}

/// Writes what a syslog daemon wants, with the message as it is.
struct PlainSyslogFormatter: Formatter {
    func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        buffer.append("<")
        buffer.append(decimal: UInt64(Facility.local0.rawValue * 8 + record.level.rawValue))
        buffer.append(">Nov 21 09:30:15 tester[10]: ")
        record.appendMessage(to: &buffer)
    }
}
