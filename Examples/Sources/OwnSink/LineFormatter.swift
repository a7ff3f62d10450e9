// SPDX-License-Identifier: Apache-2.0

import Winnow

/// `warning|net|the cache is cold|entries=0`: what the agent of this example reads.
struct LineFormatter: Winnow.Formatter {
    func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
        buffer.append(record.level.description)
        buffer.append("|")
        // Texts come from anywhere, and may hold line breaks: `escaping` makes them harmless.
        buffer.append(record.category, escaping: .line)
        buffer.append("|")
        record.appendMessage(to: &buffer, escaping: .line)
        for field in record.fields {
            buffer.append("|")
            buffer.append(field.name, escaping: .name)
            buffer.append("=")
            buffer.append(field.value.description, escaping: .line)
        }
        buffer.append("\n")
    }
}
