// SPDX-License-Identifier: Apache-2.0

/// How an interpolated value is padded to a column.
///
/// A value: MT-Safe, AS-Safe.
@frozen
public struct LogAlignment: Sendable, Hashable {
    /// Bits 0…1: 0 none, 1 left, 2 right; bits 2…15: the columns.
    @usableFromInline let code: UInt16

    @export(implementation) @inline(__always)
    init(code: UInt16) {
        self.code = code
    }

    /// No padding.
    @export(implementation) public static var none: LogAlignment {
        @inline(__always) get { LogAlignment(code: 0) }
    }

    /// Aligns the value to the left, padded with spaces to this many columns, at most 1 000.
    @export(implementation) @inline(__always)
    public static func left(columns: Int) -> LogAlignment {
        LogAlignment(code: 1 | UInt16(truncatingIfNeeded: min(max(columns, 0), 1_000)) &<< 2)
    }

    /// Aligns the value to the right, padded with spaces to this many columns, at most 1 000.
    @export(implementation) @inline(__always)
    public static func right(columns: Int) -> LogAlignment {
        LogAlignment(code: 2 | UInt16(truncatingIfNeeded: min(max(columns, 0), 1_000)) &<< 2)
    }
}

/// How the digits of an integer are written.
///
/// A value: MT-Safe, AS-Safe.
///
/// Source: os.Logger's `OSLogIntegerFormatting`. Unlike there, negative numbers may be written in
/// hexadecimal and octal too, with a minus sign.
@frozen
public struct LogIntegerFormat: Sendable, Hashable {
    /// Bits 0…7: the radix; 8 explicit sign; 9 prefix; 10 upper case; 16…23 least digits.
    @usableFromInline let code: UInt32

    @export(implementation) @inline(__always)
    init(radix: UInt32, sign: Bool, prefix: Bool, uppercase: Bool, minDigits: Int) {
        let flags: UInt32 = (sign ? 1 &<< 8 : 0) | (prefix ? 1 &<< 9 : 0)
        let digits = UInt32(truncatingIfNeeded: min(max(minDigits, 1), 255))
        code = radix | flags | (uppercase ? 1 &<< 10 : 0) | digits &<< 16
    }

    /// Decimal digits.
    @export(implementation) public static var decimal: LogIntegerFormat {
        @inline(__always) get { .decimal() }
    }

    /// Lower-case hexadecimal digits, without a prefix.
    @export(implementation) public static var hex: LogIntegerFormat {
        @inline(__always) get { .hex() }
    }

    /// Octal digits, without a prefix.
    @export(implementation) public static var octal: LogIntegerFormat {
        @inline(__always) get { .octal() }
    }

    /// Decimal digits, at least `minDigits` of them (at most 255).
    @export(implementation) @inline(__always)
    public static func decimal(
        explicitPositiveSign: Bool = false,
        minDigits: Int = 1
    ) -> LogIntegerFormat {
        LogIntegerFormat(
            radix: 10,
            sign: explicitPositiveSign,
            prefix: false,
            uppercase: false,
            minDigits: minDigits
        )
    }

    /// Hexadecimal digits, at least `minDigits` of them (at most 255); the prefix is `0x`.
    @export(implementation) @inline(__always)
    public static func hex(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false,
        minDigits: Int = 1
    ) -> LogIntegerFormat {
        LogIntegerFormat(
            radix: 16,
            sign: explicitPositiveSign,
            prefix: includePrefix,
            uppercase: uppercase,
            minDigits: minDigits
        )
    }

    /// Octal digits, at least `minDigits` of them (at most 255); the prefix is `0o`.
    @export(implementation) @inline(__always)
    public static func octal(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        minDigits: Int = 1
    ) -> LogIntegerFormat {
        LogIntegerFormat(
            radix: 8,
            sign: explicitPositiveSign,
            prefix: includePrefix,
            uppercase: false,
            minDigits: minDigits
        )
    }
}

/// How the digits of a floating-point number are written, as printf(3) does.
///
/// A value: MT-Safe, AS-Safe.
///
/// Source: os.Logger's `OSLogFloatFormatting`; printf(3), `f`, `e` and `g`.
@frozen
public struct LogFloatFormat: Sendable, Hashable {
    /// Bits 0…7: the letter of printf(3); 8 explicit sign; 16…23 the precision.
    @usableFromInline let code: UInt32

    @export(implementation) @inline(__always)
    init(letter: UInt8, precision: Int, sign: Bool) {
        let digits = UInt32(truncatingIfNeeded: min(max(precision, 0), 64))
        code = UInt32(letter) | (sign ? 1 &<< 8 : 0) | digits &<< 16
    }

    /// Six digits after the point: `3.141593`.
    @export(implementation) public static var fixed: LogFloatFormat {
        @inline(__always) get { .fixed(precision: 6) }
    }

    /// A fixed number of digits (at most 64) after the point: `3.14`.
    @export(implementation) @inline(__always)
    public static func fixed(
        precision: Int,
        explicitPositiveSign: Bool = false
    ) -> LogFloatFormat {
        LogFloatFormat(letter: UInt8(ascii: "f"), precision: precision, sign: explicitPositiveSign)
    }

    /// One digit before the point, a given number (at most 64) after it, and an exponent: `3.14e+00`.
    @export(implementation) @inline(__always)
    public static func exponential(
        precision: Int = 6,
        explicitPositiveSign: Bool = false
    ) -> LogFloatFormat {
        LogFloatFormat(letter: UInt8(ascii: "e"), precision: precision, sign: explicitPositiveSign)
    }

    /// A given number of significant digits (at most 64), fixed or exponential, whichever is shorter.
    @export(implementation) @inline(__always)
    public static func hybrid(
        precision: Int = 6,
        explicitPositiveSign: Bool = false
    ) -> LogFloatFormat {
        LogFloatFormat(letter: UInt8(ascii: "g"), precision: precision, sign: explicitPositiveSign)
    }
}

/// The words that stand for a Boolean.
@frozen
public enum LogBoolFormat: UInt8, Sendable, Hashable {
    /// `true` and `false`.
    case truth = 0
    /// `yes` and `no`.
    case answer = 1
}
