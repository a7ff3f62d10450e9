// SPDX-License-Identifier: Apache-2.0

/// Whether an interpolated value may appear in the log as it is.
///
/// The default is ``public``. A private value is replaced before any sink sees it, both in the
/// message and in the field of `as:`, unless `WINNOW_PRIVATE=show` says otherwise.
///
/// A value: MT-Safe, AS-Safe.
///
/// Source: os_log(3), privacy; CWE-532.
@frozen
public struct LogPrivacy: Sendable, Hashable {
    /// The replacement of a private value.
    @frozen
    public enum Mask: UInt8, Sendable, Hashable {
        /// The text `<private>`.
        case none = 1
        /// A hash that is salted for this process, so that equal values can be recognized without
        /// knowing them.
        case hash = 2
    }

    /// The code of ``sensitive``, which no ``Mask`` has; that of ``public`` is 0.
    @usableFromInline static var codeOfSensitive: UInt8 {
        @export(implementation) @inline(__always) get { 3 }
    }

    @usableFromInline let code: UInt8

    @export(implementation) @inline(__always)
    init(code: UInt8) {
        self.code = code
    }

    /// The value appears in the log as it is.
    @export(implementation) public static var `public`: LogPrivacy {
        @inline(__always) get { LogPrivacy(code: 0) }
    }

    /// The value is replaced by `<private>`.
    @export(implementation) public static var `private`: LogPrivacy {
        @inline(__always) get { LogPrivacy(code: Mask.none.rawValue) }
    }

    /// The value is a secret: as ``private``, and never hashed either.
    @export(implementation) public static var sensitive: LogPrivacy {
        @inline(__always) get { LogPrivacy(code: codeOfSensitive) }
    }

    /// The value is replaced as the mask says.
    @export(implementation) @inline(__always)
    public static func `private`(mask: Mask) -> LogPrivacy {
        LogPrivacy(code: mask.rawValue)
    }
}
