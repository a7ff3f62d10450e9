// SPDX-License-Identifier: Apache-2.0

extension LogMessage.StringInterpolation {
    /// Returns a hash of the literals of the message and of the names in it, which are those of its statement,
    /// whatever the values are: FNV-1a.
    ///
    /// - Parameter start: Where the arguments begin, unless the message has memory of its own.
    /// - Returns: The hash.
    package func hashOfLiterals(from start: UnsafeMutableRawPointer) -> UInt64 {
        close()
        let start = unsafe owner.map { unsafe Encoder.start(of: $0) } ?? start
        var reader = unsafe EncodedReader(position: start)
        var tags = unsafe reader.readWord()
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        while true {
            let kind = tags & 15
            tags &>>= 4
            switch kind {
            case EncodedKind.literal, EncodedKind.name:
                hash = unsafe reader.readLiteral().reduce(hash) {
                    ($0 ^ UInt64($1)) &* 0x100_0000_01B3
                }
                // No byte of UTF-8: where one ends and what it is counts as well.
                hash = (hash ^ (0xF8 | kind &>> 3)) &* 0x100_0000_01B3
            case EncodedKind.options: _ = unsafe reader.readWord()
            case EncodedKind.more: tags = unsafe reader.readWord()
            case EncodedKind.integer...EncodedKind.null: _ = unsafe reader.readValue(kind)
            // The end of the message.
            default: return hash
            }
        }
    }
}
