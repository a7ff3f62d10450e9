// SPDX-License-Identifier: Apache-2.0

/// What Foundation has a format for and Winnow has none: see ``LogMessage``.
///
/// A value: MT-Safe, AS-Safe. No program can make one.
public struct LogFormatOfFoundation: Sendable {
    /// The format of dates in ISO 8601.
    public static var iso8601: LogFormatOfFoundation { LogFormatOfFoundation() }
}

/// What is natural to write in a message, for the compiler to answer with what to write instead.
extension LogMessage.StringInterpolation {
    /// A value in a format of Foundation's.
    @available(*, unavailable, message: "import Foundation and write \\(value.formatted(.iso8601))")
    public mutating func appendInterpolation<Value>(
        _ value: Value,
        as name: StaticString = "",
        format: LogFormatOfFoundation,
        align: LogAlignment = .none,
        privacy: LogPrivacy = .public
    ) {}
}
