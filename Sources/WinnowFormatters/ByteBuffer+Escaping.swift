// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore

extension ByteBuffer {
    /// Appends bytes that should be UTF-8, and makes harmful ones harmless.
    ///
    /// Whatever the bytes are, what is appended is UTF-8 without any control character: it neither
    /// ends a line nor begins a command of a terminal.
    public mutating func append(_ bytes: Span<UInt8>, escaping: Escaping) {
        appendInline(bytes, escaping: escaping)
    }

    /// The same, inlined for callers whose escaping is a constant.
    @inline(__always)
    mutating func appendInline(_ bytes: Span<UInt8>, escaping: Escaping) {
        let harmless = appendHarmless(bytes, escaping: escaping)
        guard harmless < bytes.count else { return }
        appendRest(of: bytes, from: harmless, escaping: escaping)
    }

    /// Appends the harmless ASCII that the bytes begin with; returns how many they are.
    ///
    /// Most texts are nothing else, so that they are read once.
    @inline(__always)
    package mutating func appendHarmless(_ bytes: Span<UInt8>, escaping: Escaping) -> Int {
        var cursor = unsafe cursor(withRoomFor: bytes.count)
        let harmless = unsafe cursor.put(harmlessOf: bytes, escaping: escaping)
        unsafe setEnd(cursor)
        return harmless
    }

    /// Appends the bytes from the one on that may do harm.
    @inline(never)
    mutating func appendRest(
        of bytes: Span<UInt8>,
        from first: Int,
        escaping: Escaping
    ) {
        // The bytes from `start` to `index` are harmless and wait to be appended at once.
        var start = first
        var index = start
        while index < bytes.count {
            let unit = UTF8Unit(at: index, in: bytes)
            let end = index + unit.count
            if unit.isHarmful(in: escaping) {
                append(bytes.extracting(start..<index))
                appendEscaped(unit, of: bytes.extracting(index..<end), escaping: escaping)
                start = end
            }
            index = escaping.firstSuspect(in: bytes, from: end)
        }
        append(bytes.extracting(start..<bytes.count))
    }

    /// Appends a text, and makes harmful characters harmless.
    public mutating func append(_ text: String, escaping: Escaping) {
        append(text.utf8.span, escaping: escaping)
    }

    /// Appends JSON text, whose strings have no control characters, and makes harmful characters
    /// harmless: only its strings have any.
    mutating func append(json text: Span<UInt8>) {
        var start = 0
        var index = Escaping.line.firstSuspect(in: text, from: 0)
        while index < text.count {
            let unit = UTF8Unit(at: index, in: text)
            let end = index + unit.count
            if unit.isHarmful(in: .line) {
                append(text.extracting(start..<index))
                appendEscaped(unit, of: text.extracting(index..<end), escaping: .json)
                start = end
            }
            index = Escaping.line.firstSuspect(in: text, from: end)
        }
        append(text.extracting(start..<text.count))
    }

    private mutating func appendEscaped(
        _ unit: UTF8Unit,
        of bytes: Span<UInt8>,
        escaping: Escaping
    ) {
        guard escaping != .name else {
            append(UInt8(ascii: "_"))
            return
        }
        guard let scalar = unit.scalar else {
            appendInvalid(bytes, escaping: escaping)
            return
        }
        switch scalar {
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        default:
            // All that is harmful lies below U+10000: JSON needs no surrogates.
            append(escaping == .json ? "\\u" : "\\u{" as StaticString)
            append(digitsOf: UInt64(scalar), radix: 16, atLeast: escaping == .json ? 4 : 1)
            if escaping != .json { append(UInt8(ascii: "}")) }
        }
    }

    /// Appends what stands for bytes that are not UTF-8.
    private mutating func appendInvalid(_ bytes: Span<UInt8>, escaping: Escaping) {
        guard escaping != .json else {
            append("\u{FFFD}")
            return
        }
        for index in bytes.indices {
            append("\\x")
            append(digitsOf: UInt64(bytes[index]), radix: 16, atLeast: 2)
        }
    }
}

extension ByteCursor {
    /// Writes the harmless ASCII that the bytes begin with; returns how many they are.
    ///
    /// It takes room for all of the bytes.
    @inline(__always)
    mutating func put(harmlessOf bytes: Span<UInt8>, escaping: Escaping) -> Int {
        let target = unsafe position.assumingMemoryBound(to: UInt8.self)
        let harmless = unsafe bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress else { return 0 }
            // SAFETY: there is room for all bytes, and the calls write no more.
            return switch escaping {
            case .line: unsafe cwinnow_harmless_copy_line(target, from, source.count)
            case .quotes, .json: unsafe cwinnow_harmless_copy_quotes(target, from, source.count)
            case .name: unsafe cwinnow_harmless_copy_name(target, from, source.count)
            }
        }
        unsafe skip(harmless)
        return harmless
    }
}

extension Span<UInt8> {
    /// Eight bytes, the first of them lowest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        // SAFETY: any eight bytes are a `UInt64`, and the load checks its bounds.
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return word.littleEndian
    }
}

extension Record {
    /// Appends the message, and makes harmful characters harmless.
    public func appendMessage(to buffer: inout ByteBuffer, escaping: Escaping) {
        appendMessageInline(to: &buffer, escaping: escaping)
    }

    /// The same, inlined for callers whose escaping is a constant.
    @inline(__always)
    func appendMessageInline(to buffer: inout ByteBuffer, escaping: Escaping) {
        withMessageSpan { buffer.appendInline($0, escaping: escaping) }
    }
}
