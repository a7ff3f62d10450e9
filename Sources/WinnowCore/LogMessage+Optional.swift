// SPDX-License-Identifier: Apache-2.0

/// Optional values in a message, with what stands for an absent one.
///
/// ```swift
/// log.notice("listening on \(port, default: "no port", as: "port")")
/// ```
/// `default` is evaluated only if the value is absent. It stands in the message alone: the field of `as:`
/// is then ``FieldValue/null``, so that it never changes its type.
///
/// Source: SE-0477, "Default Value in String Interpolations".
extension LogMessage.StringInterpolation {
    /// Appends an optional value, of any type, or a text in its place.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value>(
        _ value: Value?,
        default text: @autoclosure () -> some StringProtocol,
        as name: StaticString = "",
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        if let value {
            appendInterpolation(value, as: name, align: align, privacy: privacy)
        } else {
            appendDefault(String(text()), name, align, privacy)
        }
    }

    /// Appends an optional integer in the given format; if it is absent, a text or `nil`.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value: FixedWidthInteger>(
        _ value: Value?,
        default text: @autoclosure () -> String? = nil,
        as name: StaticString = "",
        format: LogIntegerFormat,
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        if let value {
            appendInterpolation(value, as: name, format: format, align: align, privacy: privacy)
        } else {
            appendDefault(text(), name, align, privacy)
        }
    }

    /// Appends an optional floating-point number in the given format; if it is absent, a text or `nil`.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation<Value: BinaryFloatingPoint>(
        _ value: Value?,
        default text: @autoclosure () -> String? = nil,
        as name: StaticString = "",
        format: LogFloatFormat,
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        if let value {
            appendInterpolation(value, as: name, format: format, align: align, privacy: privacy)
        } else {
            appendDefault(text(), name, align, privacy)
        }
    }

    /// Appends an optional Boolean in the given words; if it is absent, a text or `nil`.
    @export(implementation)
    @inline(__always)
    public mutating func appendInterpolation(
        _ value: Bool?,
        default text: @autoclosure () -> String? = nil,
        as name: StaticString = "",
        format: LogBoolFormat,
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {
        if let value {
            appendInterpolation(value, as: name, format: format, align: align, privacy: privacy)
        } else {
            appendDefault(text(), name, align, privacy)
        }
    }

    /// Appends the text in the place of an absent value, and the value as a field; `nil` for both if there
    /// is no text.
    @usableFromInline
    @inline(never)
    mutating func appendDefault(
        _ text: String?,
        _ name: StaticString,
        _ align: LogAlignment,
        _ privacy: LogPrivacy
    ) {
        guard let text else {
            return appendInterpolation(Int?.none, as: name, align: align, privacy: privacy)
        }
        appendValue(text, isField: false, options: EncodedOptions.word(privacy, align), privacy)
        guard name.utf8CodeUnitCount != 0 else { return }
        appendText(name, kind: EncodedKind.field)
        appendNull(options: EncodedOptions.word(privacy, .none), privacy)
    }
}
