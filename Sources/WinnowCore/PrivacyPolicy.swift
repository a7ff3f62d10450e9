// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How private values are written, for the whole program: `WINNOW_PRIVATE`.
@frozen
public enum PrivacyPolicy: UInt8, Sendable, Hashable, CaseIterable {
    /// Each value is masked as its ``LogPrivacy`` says.
    case redact = 0
    /// Private values are hashed, sensitive ones redacted.
    case hash = 1
    /// All values are shown.
    case show = 2

    /// How a value of the given privacy code is masked; nil where it is shown.
    package func mask(for privacyCode: UInt8) -> LogPrivacy.Mask? {
        switch (self, privacyCode) {
        case (.show, _), (_, 0): nil
        case (_, LogPrivacy.codeOfSensitive): LogPrivacy.Mask.none
        case (.hash, _), (_, LogPrivacy.Mask.hash.rawValue): .hash
        default: LogPrivacy.Mask.none
        }
    }
}

extension PrivacyPolicy {
    /// How a value with the options is masked: see ``EncodedOptions``.
    func mask(for options: UInt64) -> LogPrivacy.Mask? {
        mask(for: UInt8(truncatingIfNeeded: options))
    }

    private static let present = Atomic<UInt8>(PrivacyPolicy.redact.rawValue)

    /// How private values are written in a message that becomes part of another one, which happens when the
    /// other one is made, and not when its record is delivered.
    ///
    /// MT-Safe.
    package static var ofParts: PrivacyPolicy {
        get { PrivacyPolicy(rawValue: present.load(ordering: .relaxed)) ?? .redact }
        set { present.store(newValue.rawValue, ordering: .relaxed) }
    }
}
