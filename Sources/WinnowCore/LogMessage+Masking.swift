// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

extension LogMessage.StringInterpolation {
    /// The message without what is private, if it was made before the process began to record: as its text and its
    /// fields.
    ///
    /// All others are masked where they are made.
    package var maskedForRecorder: Self {
        guard let owner, !owner.isMasked, cwinnow_recorder_masks() else { return self }
        close()
        var content = RecordContent()
        unsafe RecordDecoder.decode(
            Encoder.start(of: owner),
            policy: PrivacyPolicy.ofParts,
            into: &content
        )
        var encoder = Self(detachedFor: 1)
        unsafe content.text.withUnsafeBytes { bytes in
            unsafe encoder.appendText(
                UnsafeRawBufferPointer(rebasing: bytes[..<content.messageLength])
            )
        }
        if let file = unsafe content.file, let function = unsafe content.function {
            encoder.appendLocation(
                file: unsafe String(decoding: file, as: UTF8.self),
                function: unsafe String(decoding: function, as: UTF8.self)
            )
        }
        let header = unsafe RecordHeader(category: cwinnow_category_default(), level: .debug)
        encoder.appendFields(Record.withRecord(header: header, content: content) { $0.fields })
        withExtendedLifetime(owner) {}
        return encoder
    }
}
