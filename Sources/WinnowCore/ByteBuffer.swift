// SPDX-License-Identifier: Apache-2.0

/// A growable buffer of bytes, filled by a formatter and written out by a sink.
///
/// It keeps its memory when it is emptied, so a sink that owns one does not allocate in the common
/// case.
///
/// MT-Unsafe: it has one owner, and one thread at a time writes to it. AS-Unsafe heap: appending
/// may make it grow.
@safe
public struct ByteBuffer: ~Copyable {
    // SAFETY: the memory is this value's own, and its first `length` bytes are initialized.
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline package var capacity: Int
    @usableFromInline var length = 0
    /// The text of the second that was written last.
    package var second = SecondText()

    /// The number of bytes that the buffer holds.
    @export(implementation) public var count: Int { length }

    /// Creates an empty buffer with room for the given number of bytes.
    public init(capacity: Int = 512) {
        self.capacity = max(capacity, 64)
        unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Calls the body with the bytes.
    @export(implementation) public borrowing func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the first `count` bytes are initialized, and nothing changes them meanwhile.
        let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count)
        return try body(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Removes all bytes and keeps the memory.
    @export(implementation) public mutating func removeAll() {
        length = 0
    }

    /// Removes the bytes from the given offset on; an offset beyond the end is not an error.
    public mutating func truncate(to newCount: Int) {
        length = min(count, max(newCount, 0))
    }
}

extension ByteBuffer {
    /// Makes room for so many bytes more.
    @export(implementation) public mutating func reserve(_ additional: Int) {
        guard capacity &- length < additional else { return }
        grow(for: additional)
    }

    /// Appends one byte.
    @export(implementation)
    @inline(__always)
    public mutating func append(_ byte: UInt8) {
        unsafe room(for: 1).storeBytes(of: byte, as: UInt8.self)
        didWrite(1)
    }

    /// Appends a run of bytes.
    @export(implementation) public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends the UTF-8 of a literal.
    @export(implementation)
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        guard text.hasPointerRepresentation else {
            return text.withUTF8Buffer { unsafe append(UnsafeRawBufferPointer($0)) }
        }
        let count = text.utf8CodeUnitCount
        // SAFETY: there is room for the text, which lives as long as the program. The compiler knows the
        // length of a literal, and copies a short one without a call.
        unsafe room(for: count).copyMemory(from: text.utf8Start, byteCount: count)
        didWrite(count)
    }

    /// Appends the UTF-8 of a text.
    ///
    /// For a literal, the compiler prefers the method for literals to this one.
    @_disfavoredOverload
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a byte so many times; none where the number is negative.
    @export(implementation) public mutating func append(
        repeating byte: UInt8,
        count additional: Int
    ) {
        guard additional > 0 else { return }
        unsafe room(for: additional).initializeMemory(
            as: UInt8.self,
            repeating: byte,
            count: additional
        )
        didWrite(additional)
    }

    /// Appends a number in digits, with leading zeros up to the minimum.
    ///
    /// - Parameters:
    ///   - value: The number.
    ///   - radix: 2 to 16.
    ///   - minimum: The least number of digits, from 1.
    ///   - uppercase: Whether `A` to `F` stand for 10 to 15.
    public mutating func append(
        digitsOf value: UInt64,
        radix: UInt64,
        atLeast minimum: Int,
        uppercase: Bool = false
    ) {
        var digits = 1
        var rest = value
        while rest >= radix {
            rest /= radix
            digits += 1
        }
        digits = max(digits, minimum)
        reserve(digits)
        let letters = UInt8(ascii: uppercase ? "A" : "a") - 10
        rest = value
        for index in stride(from: count + digits - 1, through: count, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            let letter = digit < 10 ? UInt8(ascii: "0") + digit : letters + digit
            unsafe base.storeBytes(of: letter, toByteOffset: index, as: UInt8.self)
            rest /= radix
        }
        length += digits
    }

    /// Removes bytes from the beginning; more than there are is no error.
    package mutating func removeFirst(_ removed: Int) {
        let left = max(count - removed, 0)
        guard removed > 0, left > 0 else {
            if removed > 0 { removeAll() }
            return
        }
        // SAFETY: both ranges lie within the initialized bytes, and memmove allows an overlap.
        unsafe base.copyMemory(from: base + removed, byteCount: left)
        length = left
    }

    /// Overwrites bytes that the buffer already holds.
    package mutating func replace(at offset: Int, with bytes: UnsafeRawBufferPointer) {
        precondition(offset >= 0 && offset + bytes.count <= count)
        // SAFETY: the range lies within the initialized bytes, as was just checked.
        unsafe UnsafeMutableRawBufferPointer(start: base + offset, count: bytes.count)
            .copyMemory(from: bytes)
    }

    /// Moves the last bytes of the buffer to the offset, and what stood there behind them.
    package mutating func rotate(from offset: Int, rightBy distance: Int) {
        let moved = count - offset - distance
        guard moved > 0, distance > 0 else { return }
        // Each of the two parts turned round, and then the whole, in place.
        reverse(offset..<offset + moved)
        reverse(offset + moved..<count)
        reverse(offset..<count)
    }

    private mutating func reverse(_ range: Range<Int>) {
        let start = unsafe base + range.lowerBound
        var bytes = unsafe UnsafeMutableRawBufferPointer(start: start, count: range.count)
        unsafe bytes.reverse()
    }

    /// Makes room for so many more bytes, and returns where they go.
    ///
    /// They become part of the buffer only when ``didWrite(_:)`` is called with their number.
    @export(implementation)
    @inline(__always)
    package mutating func room(for additional: Int) -> UnsafeMutableRawPointer {
        reserve(additional)
        return unsafe base + length
    }

    /// Where the next byte goes, if there is room for it.
    @export(implementation) package var end: UnsafeMutableRawPointer {
        @inline(__always) get { unsafe base + length }
    }

    /// Counts so many bytes as written, which must fit into the room that ``room(for:)`` made.
    @export(implementation)
    @inline(__always)
    package mutating func didWrite(_ written: Int) {
        length &+= written
    }

    /// Appends the first `written` of the word's eight bytes, the lowest first.
    @export(implementation)
    @inline(__always)
    package mutating func append(word: UInt64, count written: Int = 8) {
        // SAFETY: there is room for the whole word.
        unsafe room(for: 8).storeBytes(of: word.littleEndian, as: UInt64.self)
        didWrite(written)
    }

    /// Appends a run of bytes that the buffer does not hold itself.
    @export(implementation) package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        // SAFETY: there is room for the bytes; the two memories are distinct.
        unsafe room(for: bytes.count).copyMemory(from: source, byteCount: bytes.count)
        didWrite(bytes.count)
    }

    /// The bytes, as long as the buffer is there and nothing is written to it.
    @export(implementation) package var unsafeBytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base, count: length)
    }

    /// Calls the body with the bytes; the pointer must not outlive the call.
    @export(implementation) package borrowing func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
    }

    @usableFromInline
    @inline(never)
    mutating func grow(for additional: Int) {
        let size = max(capacity * 2, count + additional)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        // SAFETY: the new memory is larger than the old, of which `count` bytes are initialized.
        unsafe larger.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity = size
    }
}
