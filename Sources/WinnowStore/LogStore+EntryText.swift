// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

extension LogStore.Entry: CustomStringConvertible {
    /// The entry as one line that is harmless to a terminal, whatever is in it.
    ///
    /// `2026-11-21T09:30:15.123456Z notice  myapp[812] [net] listening on port 8080`: time, level,
    /// identifier and process, category, message. What is harmful is written as `Escaping.line`
    /// says.
    public var description: String {
        var buffer = ByteBuffer()
        buffer.append(rfc3339: CivilTime(timestamp))
        buffer.append(UInt8(ascii: " "))
        let level = level.map(\.description) ?? "-"
        buffer.append(level)
        buffer.append(repeating: UInt8(ascii: " "), count: max(8 - level.utf8.count, 1))
        buffer.append(identifier ?? "-", escaping: .line)
        if let processID { buffer.append("[\(processID)]" as String) }
        buffer.append(UInt8(ascii: " "))
        if let category { buffer.append("[\(category)] " as String, escaping: .line) }
        buffer.append(message, escaping: .line)
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }
}
