// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

extension LogMessage.StringInterpolation {
    /// Whether the message was made before the process began to record: all others are masked where they are made.
    package var mustBeMasked: Bool {
        @inline(__always) get { owner != nil && isUnmasked }
    }

    private var isUnmasked: Bool {
        @inline(never) get { cwinnow_recorder_masks() && owner?.isMasked == false }
    }

    /// The message without what is private: as its text and its fields.
    package var masked: Self {
        guard let owner else { return self }
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
