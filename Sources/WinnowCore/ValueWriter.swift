// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Writes a value into a message, in its format, padded, and masked where it is private.
enum ValueWriter {
    /// Writes a value as its options say.
    static func write(
        _ value: RecordContent.Value,
        options: UInt64,
        to content: inout RecordContent
    ) {
        guard options != 0 else {
            unsafe writePlain(value, to: &content)
            return
        }
        let start = content.text.count
        unsafe writeFormatted(value, options: options, to: &content)
        pad(from: start, options: options, &content.text)
    }

    /// Writes what stands in the place of a private value; returns where it lies, without padding.
    static func write(
        _ value: RecordContent.Value,
        mask: LogPrivacy.Mask,
        options: UInt64,
        to content: inout RecordContent
    ) -> (offset: Int, count: Int) {
        let start = content.text.count
        if mask == .none {
            content.text.append("<private>")
        } else {
            unsafe writePlain(value, to: &content)
            let digest = unsafe content.text.withUnsafeBytes { bytes in
                unsafe PrivateHash.digest(of: UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
            content.text.truncate(to: start)
            content.text.append("<hash: ")
            content.text.append(digitsOf: digest, radix: 16, atLeast: 16)
            content.text.append(UInt8(ascii: ">"))
        }
        let count = content.text.count - start
        let shift = pad(from: start, options: options, &content.text)
        return (start + shift, count)
    }

    private static func writePlain(
        _ value: RecordContent.Value,
        to content: inout RecordContent
    ) {
        switch unsafe value {
        case .text(let bytes), .json(let bytes): unsafe content.text.append(bytes)
        case .rendered: break
        case .integer(let number): content.text.append(decimal: number)
        case .unsigned(let number): content.text.append(decimal: number)
        case .double(let number): content.text.append(shortest: number)
        case .bool(let truth): content.text.append(truth ? "true" : "false" as StaticString)
        case .null: content.text.append("nil")
        }
    }

    private static func writeFormatted(
        _ value: RecordContent.Value,
        options: UInt64,
        to content: inout RecordContent
    ) {
        let format = options &>> 24 & 0xFF
        let code = UInt32(truncatingIfNeeded: options &>> 32)
        switch unsafe (format, value) {
        case (EncodedOptions.Format.integer, .integer(let number)):
            write(number.magnitude, isNegative: number < 0, code: code, to: &content.text)
        case (EncodedOptions.Format.integer, .unsigned(let number)):
            write(number, isNegative: false, code: code, to: &content.text)
        case (EncodedOptions.Format.float, .double(let number)):
            write(number, code: code, to: &content.text)
        case (EncodedOptions.Format.bool, .bool(let truth))
        where code == UInt32(LogBoolFormat.answer.rawValue):
            content.text.append(truth ? "yes" : "no" as StaticString)
        default: unsafe writePlain(value, to: &content)
        }
    }

    /// Writes an integer; the code is a ``LogIntegerFormat``'s.
    private static func write(
        _ magnitude: UInt64,
        isNegative: Bool,
        code: UInt32,
        to text: inout ByteBuffer
    ) {
        if isNegative {
            text.append(UInt8(ascii: "-"))
        } else if code & 1 &<< 8 != 0 {
            text.append(UInt8(ascii: "+"))
        }
        let radix = UInt64(code & 0xFF)
        if code & 1 &<< 9 != 0 { text.append(radix == 16 ? "0x" : "0o" as StaticString) }
        text.append(
            digitsOf: magnitude,
            radix: radix,
            atLeast: Int(code &>> 16),
            uppercase: code & 1 &<< 10 != 0
        )
    }

    /// Writes a floating-point number as printf(3) does; the code is a ``LogFloatFormat``'s.
    private static func write(_ number: Double, code: UInt32, to text: inout ByteBuffer) {
        // The largest double has 309 digits before the point, and there are at most 64 behind it.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
            let letter = CChar(truncatingIfNeeded: code & 0xFF)
            let digits = Int32(truncatingIfNeeded: code &>> 16)
            let hasSign = code & 1 &<< 8 != 0
            let base = unsafe buffer.baseAddress.unsafelyUnwrapped
            // SAFETY: the call writes at most 512 bytes and returns how many.
            let count = unsafe cwinnow_system_format(base, 512, letter, digits, hasSign, number)
            unsafe text.append(UnsafeRawBufferPointer(start: base, count: Int(count)))
        }
    }

    /// Pads what begins at the offset; returns how far it was moved to the right.
    @discardableResult
    private static func pad(from start: Int, options: UInt64, _ text: inout ByteBuffer) -> Int {
        let alignment = UInt16(truncatingIfNeeded: options &>> 8)
        let missing = Int(alignment &>> 2) - columns(of: text, from: start)
        guard missing > 0 else { return 0 }
        text.append(repeating: UInt8(ascii: " "), count: missing)
        guard alignment & 3 == 2 else { return 0 }
        text.rotate(from: start, rightBy: missing)
        return missing
    }

    /// The columns of a text: its scalars, as a monospaced font shows most of them.
    private static func columns(of text: borrowing ByteBuffer, from start: Int) -> Int {
        unsafe text.withUnsafeBytes { bytes in
            unsafe bytes[start...].count { $0 & 0xC0 != 0x80 }
        }
    }
}
