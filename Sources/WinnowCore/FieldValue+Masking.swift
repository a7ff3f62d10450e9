// SPDX-License-Identifier: Apache-2.0

extension FieldValue {
    /// What stands in the place of the value where it is private.
    func text(maskedBy mask: LogPrivacy.Mask) -> String {
        var content = RecordContent()
        let range = unsafe withContent { value in
            unsafe ValueWriter.write(value, mask: mask, options: 0, to: &content)
        }
        return unsafe content.text.withUnsafeBytes { bytes in
            unsafe String(
                decoding: bytes[range.offset..<range.offset + range.count],
                as: UTF8.self
            )
        }
    }

    /// Lends the value as a decoded record has it.
    private func withContent<Result>(_ body: (RecordContent.Value) -> Result) -> Result {
        func withBytes(
            of text: String,
            _ make: (UnsafeRawBufferPointer) -> RecordContent.Value
        ) -> Result {
            var text = text
            return text.withUTF8 { unsafe body(make(UnsafeRawBufferPointer($0))) }
        }
        return switch self {
        case .string(let text): unsafe withBytes(of: text) { unsafe .text($0) }
        case .json(let text): unsafe withBytes(of: text.description) { unsafe .json($0) }
        case .integer(let number): unsafe body(.integer(number))
        case .unsigned(let number): unsafe body(.unsigned(number))
        case .double(let number): unsafe body(.double(number))
        case .bool(let truth): unsafe body(.bool(truth))
        case .null: unsafe body(.null)
        }
    }
}
