// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Why a sink did not deliver a record.
///
/// The code tells the pipeline whether to try again: see ``Code``.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct SinkError: Error, Sendable, Hashable {
    /// The kind of failure.
    ///
    /// New kinds may be added; treat an unknown kind as ``failed``.
    public struct Code: Sendable, Hashable {
        package enum Kind: UInt8 { case busy, unavailable, rejected, failed }
        package let kind: Kind

        /// The destination takes nothing right now, because its queue is full.
        ///
        /// The record is kept and retried soon.
        public static let busy = Code(kind: .busy)
        /// The destination is missing: there is no such socket, or nobody listens.
        ///
        /// The record goes to the fallback of the route, or is kept and retried with back-off.
        public static let unavailable = Code(kind: .unavailable)
        /// The destination will never take this record.
        ///
        /// It is counted as lost.
        public static let rejected = Code(kind: .rejected)
        /// The destination failed, for example with no space or an I/O error.
        ///
        /// The record is kept and retried with back-off.
        public static let failed = Code(kind: .failed)
    }

    /// The kind of failure.
    public let code: Code
    /// The result of getaddrinfo(3) for a name, which no errno value expresses, or 0.
    ///
    /// One byte, in what would be padding: so an error is still returned in one register.
    package let lookupError: Int8
    /// The errno value behind it, or 0.
    public let systemError: Int32

    /// Creates an error.
    public init(_ code: Code, systemError: Int32 = 0) {
        self.init(code, systemError: systemError, lookupError: 0)
    }

    /// Creates the error of a name that could not be looked up.
    package init(_ code: Code, systemError: Int32, lookupError: Int8) {
        self.code = code
        self.lookupError = lookupError
        self.systemError = systemError
    }
}

extension SinkError: CustomStringConvertible {
    /// The failure in words: `unavailable: No such file or directory`.
    public var description: String {
        if lookupError != 0 { return "\(code.kind): \(lookupErrorText(lookupError))" }
        guard systemError != 0 else { return "\(code.kind)" }
        return "\(code.kind): \(systemErrorText(systemError))"
    }
}

/// Returns the text of an errno value, as strerror(3) has it.
package func systemErrorText(_ error: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        // SAFETY: the call writes at most 128 bytes and always terminates them.
        let base = unsafe buffer.baseAddress.unsafelyUnwrapped
        unsafe cwinnow_system_error_text(error, base, 128)
        return unsafe String(cString: base)
    }
}

/// Returns the text of what getaddrinfo(3) returned, as gai_strerror(3) has it.
private func lookupErrorText(_ error: Int8) -> String {
    // SAFETY: the text is constant, and terminated.
    unsafe String(cString: cwinnow_system_lookup_error_text(Int32(error)))
}
