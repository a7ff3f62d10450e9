// SPDX-License-Identifier: Apache-2.0

/// The literals of a message and the names in it, which are those of its statement, whatever the values are.
extension LogMessage.StringInterpolation {
    /// Returns a hash of them: FNV-1a.
    ///
    /// - Parameter start: Where the arguments begin, unless the message has memory of its own.
    /// - Returns: The hash.
    package func hashOfLiterals(from start: UnsafeMutableRawPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        unsafe visitLiterals(from: start) { literal, kind in
            hash = unsafe literal.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            // No byte of UTF-8: where one ends and what it is counts as well.
            hash = (hash ^ (0xF8 | kind &>> 3)) &* 0x100_0000_01B3
            return true
        }
        return hash
    }

    /// Returns the first literal; empty where there is none.
    ///
    /// - Parameter start: As above.
    /// - Returns: The literal, in UTF-8.
    package func firstLiteral(from start: UnsafeMutableRawPointer) -> UnsafeRawBufferPointer {
        var first = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe visitLiterals(from: start) { literal, kind in
            guard kind == EncodedKind.literal else { return true }
            unsafe first = literal
            return false
        }
        return unsafe first
    }

    /// Calls the body with each literal or name, and its kind, until it returns false.
    private func visitLiterals(
        from start: UnsafeMutableRawPointer,
        _ body: (UnsafeRawBufferPointer, UInt64) -> Bool
    ) {
        close()
        let start = unsafe owner.map { unsafe Encoder.start(of: $0) } ?? start
        var reader = unsafe EncodedReader(position: start)
        var tags = unsafe reader.readWord()
        while true {
            let kind = tags & 15
            tags &>>= 4
            switch kind {
            case EncodedKind.literal, EncodedKind.name:
                guard unsafe body(reader.readLiteral(), kind) else { return }
            case EncodedKind.options: _ = unsafe reader.readWord()
            case EncodedKind.more: tags = unsafe reader.readWord()
            case EncodedKind.integer...EncodedKind.null: _ = unsafe reader.readValue(kind)
            // The end of the message.
            default: return
            }
        }
    }
}
