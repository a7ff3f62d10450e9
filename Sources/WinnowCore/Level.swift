// SPDX-License-Identifier: Apache-2.0

/// The severity of a record, from an unusable system to details for developers.
///
/// The raw values are the numerical codes of syslog, so a smaller value is more severe and
/// `.error < .debug` holds.
///
/// A value: MT-Safe. AS-Safe except ``description``, which may allocate.
///
/// Source: RFC 5424, section 6.2.1, table 2; the same numbers as the Apple System Log's.
@frozen
public enum Level: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    /// The system is unusable.
    case emergency = 0
    /// Action must be taken at once.
    case alert = 1
    /// A critical condition, such as a failing disk.
    case critical = 2
    /// An operation failed.
    case error = 3
    /// Something is likely to fail soon, or was worked around.
    case warning = 4
    /// Normal, but significant: the level for what an operator wants to read.
    case notice = 5
    /// Information about the normal course of work.
    case info = 6
    /// Details for the developers of the program.
    case debug = 7

    /// Whether the left level is more severe than the right one.
    @export(implementation) @inline(__always)
    public static func < (left: Level, right: Level) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Level {
    /// The raw value, which for a constant level is a literal, even without an optimizer.
    @export(implementation)
    @inline(always)
    package var literal: UInt8 {
        switch self {
        case .emergency: 0
        case .alert: 1
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug: 7
        }
    }
}

extension Level: CustomStringConvertible {
    /// The name of the level as written in filters and in text: `emergency` … `debug`.
    public var description: String { name.description }

    /// The name of the level, as a text that lives as long as the program.
    package var name: StaticString {
        switch self {
        case .emergency: "emergency"
        case .alert: "alert"
        case .critical: "critical"
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }
}
