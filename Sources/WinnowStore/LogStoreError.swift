// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Why a journal cannot be read.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct LogStoreError: Error, Sendable, Hashable {
    /// The kind of failure.
    ///
    /// New kinds may come; treat an unknown one as ``failed``.
    public struct Code: Sendable, Hashable {
        package enum Kind: UInt8 {
            case libraryMissing, noJournal, permissionDenied, invalidField, invalidCursor, failed
        }
        package let kind: Kind

        /// libsystemd cannot be loaded, or is older than 246.
        ///
        /// It stays so for the life of the process.
        public static let libraryMissing = Code(kind: .libraryMissing)
        /// There is no journal: not one file of it.
        public static let noJournal = Code(kind: .noJournal)
        /// There is a journal, and this user may read no file of it.
        public static let permissionDenied = Code(kind: .permissionDenied)
        /// No field of the journal can have that name.
        public static let invalidField = Code(kind: .invalidField)
        /// The text is no cursor of a journal.
        public static let invalidCursor = Code(kind: .invalidCursor)
        /// Anything else.
        public static let failed = Code(kind: .failed)
    }

    /// The kind of failure.
    public let code: Code
    /// What it is about: the library, the journal's place, the name of the field, the cursor, or
    /// the call of libsystemd that failed.
    public let subject: String
    /// The errno value behind it, or 0.
    public let systemError: Int32
    /// What else there is to say, in words.
    private let detail: String

    package init(_ code: Code, _ subject: String, systemError: Int32 = 0, detail: String = "") {
        self.code = code
        self.subject = subject
        self.systemError = systemError
        self.detail = detail
    }
}

extension LogStoreError: CustomStringConvertible {
    /// The failure in words: `'request.id' is no field name of the journal; …`.
    public var description: String {
        switch code.kind {
        case .libraryMissing:
            "the journal cannot be read without \(subject), version 246 or later: \(detail)"
        case .noJournal:
            "there is no journal in \(subject)"
        case .permissionDenied:
            "this user may not read the journal in \(subject);"
                + " members of the group systemd-journal may"
        case .invalidField:
            "'\(subject)' is no field name of the journal"
                + (detail.isEmpty ? "" : "; did you mean '\(detail)'?")
        case .invalidCursor:
            "'\(subject)' is no cursor of a journal"
        case .failed:
            "\(subject): \(systemErrorText(systemError))"
        }
    }
}
