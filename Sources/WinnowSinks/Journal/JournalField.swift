// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Field names as journald takes them.
///
/// 1 to 64 bytes of `A`–`Z`, `0`–`9` and `_`, of which the first is a letter. journald drops a field
/// with any other name, and says nothing.
///
/// Source: systemd's `journal_field_valid()`; specs study, section 3.1.
enum JournalField {
    /// The longest name in bytes.
    static let nameByteCount = 64

    /// Appends a name made legal, without a look at other names.
    ///
    /// Letters become upper-case, and every other character becomes `_`: `request.id` is
    /// `REQUEST_ID`. A leading underscore, which marks what journald itself vouches for, gets an `F`
    /// in front, a leading digit `F_`. A name of nothing is `UNNAMED`. What exceeds 64 bytes is cut.
    static func appendName(_ name: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        let end = buffer.count + nameByteCount
        guard let first = unsafe name.first else {
            buffer.append("UNNAMED")
            return
        }
        switch legal(first) {
        case UInt8(ascii: "_"): buffer.append(UInt8(ascii: "F"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): buffer.append("F_")
        default: break
        }
        var isInsideCharacter = false
        for index in name.indices where buffer.count < end {
            let byte = unsafe name[index]
            // The bytes of one character that is not ASCII are one underscore.
            if byte & 0xC0 == 0x80, isInsideCharacter { continue }
            isInsideCharacter = byte >= 0x80
            buffer.append(legal(byte))
        }
    }

    private static func legal(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
        default: UInt8(ascii: "_")
        }
    }
}

/// The names of one entry: none occurs twice, and none is one that a record's field may not have.
struct JournalFieldNames {
    /// A name that is taken, and the name that it was before it got a number; as hashes, because
    /// two names that only share a hash cost no more than a number too many.
    private struct Taken {
        var name: UInt64
        var base: UInt64
        var number: Int
    }

    /// The names that Winnow or journald gives a meaning that a field must not forge.
    ///
    /// Others that journald knows may be set: `ERRNO`, `MESSAGE_ID`, `DOCUMENTATION`, `UNIT`.
    private static let reserved: [UInt64] = [
        "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "SYSLOG_FACILITY", "SYSLOG_PID",
        "SYSLOG_TIMESTAMP", "SYSLOG_RAW", "TID", "CODE_FILE", "CODE_LINE", "CODE_FUNC",
        "CODE_MODULE", "CATEGORY", "OBJECT_PID", "WINNOW_RUN", "WINNOW_SEQUENCE",
        "WINNOW_LEVEL_SEQUENCE", "WINNOW_TIMESTAMP", "WINNOW_MORE_FIELDS",
    ].map { (name: StaticString) in
        name.withUTF8Buffer { unsafe hash(UnsafeRawBufferPointer($0)) }
    }

    private var taken: [Taken] = []

    /// Whether names that begin with `WINNOW_` are taken for Winnow's own and kept.
    var allowsOwnNames = false

    /// Forgets all names.
    mutating func removeAll() {
        taken.removeAll(keepingCapacity: true)
    }

    /// Appends a name made legal, with a number behind it where it is taken or reserved: `PORT_2`.
    mutating func appendName(_ name: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        let start = buffer.count
        unsafe JournalField.appendName(name, to: &buffer)
        let length = buffer.count - start
        let base = Self.hash(buffer, from: start)
        let isReserved = Self.reserved.contains(base) || isOwnName(buffer, from: start)
        // All numbers up to the last one are taken, by this name or by others.
        var number = (taken.last { $0.base == base }?.number ?? (isReserved ? 1 : 0)) + 1
        var result = base
        while true {
            if number > 1 {
                let room = JournalField.nameByteCount - Self.suffixByteCount(number)
                buffer.truncate(to: start + min(length, room))
                buffer.append(UInt8(ascii: "_"))
                buffer.append(decimal: UInt64(number))
                result = Self.hash(buffer, from: start)
            }
            if !taken.contains(where: { $0.name == result }) { break }
            number += 1
        }
        taken.append(Taken(name: result, base: base, number: number))
    }

    private func isOwnName(_ buffer: borrowing ByteBuffer, from start: Int) -> Bool {
        guard !allowsOwnNames else { return false }
        return unsafe buffer.withUnsafeBytes { bytes in
            // Few names begin so, and the whole comparison is a dozen calls.
            unsafe bytes[start] == UInt8(ascii: "W")
                && bytes[start...].starts(with: "WINNOW_".utf8)
        }
    }

    private static func suffixByteCount(_ number: Int) -> Int {
        number < 10 ? 2 : number < 100 ? 3 : number < 1_000 ? 4 : 5
    }

    private static func hash(_ buffer: borrowing ByteBuffer, from start: Int) -> UInt64 {
        unsafe buffer.withUnsafeBytes { bytes in
            unsafe hash(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }

    /// FNV-1a in 64 bits.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices {
            hash = unsafe (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
        }
        return hash
    }
}
