// SPDX-License-Identifier: Apache-2.0

/// A growing run of bytes that a formatter writes to, and a sink writes out.
///
/// It keeps its memory when it is emptied, so that a sink that owns one allocates nothing in the
/// common case. Not thread-safe: it has one owner.
@safe
public struct ByteBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer

    /// The number of bytes that the buffer holds.
    public private(set) var count = 0

    /// Creates an empty buffer with room for the given number of bytes.
    public init(capacity: Int = 512) {
        unsafe storage = .allocate(byteCount: max(capacity, 64), alignment: 16)
    }

    deinit {
        unsafe storage.deallocate()
    }

    /// Calls the body with the bytes.
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the first `count` bytes are initialised, and nothing changes them meanwhile.
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: storage[..<count])
        return try body(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Removes all bytes and keeps the memory.
    public mutating func removeAll() {
        count = 0
    }

    /// Removes the bytes from the given offset on; more than there are is no error.
    public mutating func truncate(to newCount: Int) {
        count = min(count, max(newCount, 0))
    }
}

extension ByteBuffer {
    /// Makes room for so many bytes more.
    public mutating func reserve(_ additional: Int) {
        guard unsafe count + additional > storage.count else { return }
        grow(for: additional)
    }

    /// Appends one byte.
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe storage[count] = byte
        count += 1
    }

    /// Appends a run of bytes.
    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends the UTF-8 of a literal.
    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the UTF-8 of a text.
    ///
    /// It yields to the method for literals, which the compiler would take for `String`s.
    @_disfavoredOverload
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a byte so many times; none where the number is negative.
    public mutating func append(repeating byte: UInt8, count additional: Int) {
        guard additional > 0 else { return }
        reserve(additional)
        for index in count..<count + additional {
            unsafe storage[index] = byte
        }
        count += additional
    }

    /// Appends the decimal digits of an integer.
    public mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(decimal: value.magnitude)
    }

    /// Appends the decimal digits of an unsigned integer.
    public mutating func append(decimal value: UInt64) {
        var digits = 1
        var bound: UInt64 = 10
        while digits < 20, value >= bound {
            digits += 1
            bound = bound &* 10
        }
        reserve(digits)
        var end = count + digits
        var rest = value
        while end > count {
            end -= 1
            // A constant divisor is a multiplication.
            unsafe storage[end] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
    }

    /// Appends digits with zeros in front, as many as are asked for or needed.
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
            unsafe storage[index] = digit < 10 ? UInt8(ascii: "0") + digit : letters + digit
            rest /= radix
        }
        count += digits
    }

    /// Overwrites bytes that the buffer already holds.
    package mutating func replace(at offset: Int, with bytes: UnsafeRawBufferPointer) {
        precondition(offset >= 0 && offset + bytes.count <= count)
        // SAFETY: the range lies within the initialised bytes, as was just checked.
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[offset..<offset + bytes.count])
            .copyMemory(from: bytes)
    }

    /// Moves the last bytes of the buffer to the offset, and what stood there behind them.
    package mutating func rotate(from offset: Int, rightBy distance: Int) {
        let moved = count - offset - distance
        guard moved > 0, distance > 0 else { return }
        // SAFETY: both ranges lie within the initialised bytes, and memmove allows an overlap.
        let base = unsafe storage.baseAddress.unsafelyUnwrapped + offset
        let tail = unsafe [UInt8](UnsafeRawBufferPointer(start: base + moved, count: distance))
        unsafe (base + distance).copyMemory(from: base, byteCount: moved)
        unsafe tail.withUnsafeBytes {
            unsafe base.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: distance)
        }
    }

    /// Appends a run of bytes that the buffer does not hold itself.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        // SAFETY: `reserve` made room for the bytes; the two memories are distinct.
        let end = unsafe storage.baseAddress.unsafelyUnwrapped + count
        unsafe end.copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Calls the body with the bytes; the pointer must not outlive the call.
    package borrowing func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(rebasing: storage[..<count]))
    }

    private mutating func grow(for additional: Int) {
        let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(storage.count * 2, count + additional),
            alignment: 16
        )
        // SAFETY: the new memory is larger than the old, of which `count` bytes are initialised.
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        unsafe storage.deallocate()
        unsafe storage = larger
    }
}
