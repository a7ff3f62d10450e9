// SPDX-License-Identifier: Apache-2.0

/// What a fuzzer's input does to a page or a file: bytes that are written to a place in it.
package struct Change {
    /// Where they begin; all have room there.
    package let place: Int
    package let bytes: [UInt8]

    /// Reads the changes of an input: the place of each in three bytes, the number of its bytes, and these.
    ///
    /// A place behind the end begins again at the front, and what is cut is shorter: each input means something.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - byteCount: The bytes that there are, more than 255.
    /// - Returns: The changes, in their order.
    package static func all(of input: [UInt8], within byteCount: Int) -> [Change] {
        var changes: [Change] = []
        var rest = input[...]
        while rest.count >= 4 {
            let head = rest.prefix(4).map { Int($0) }
            let bytes = Array(rest.dropFirst(4).prefix(head[3]))
            let place = head[0] | head[1] << 8 | head[2] << 16
            let room = byteCount - bytes.count
            changes.append(Change(place: place % room, bytes: bytes))
            rest = rest.dropFirst(4 + bytes.count)
        }
        return changes
    }
}
