// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What a fuzzer's input does to a control page: bytes that are written to a place in it.
package struct Change {
    /// Where they begin, from the beginning of the page; all have room there.
    package let place: Int
    package let bytes: [UInt8]

    /// Reads the changes of an input: the place of each in three bytes, the number of its bytes, and these.
    ///
    /// A place behind the end begins again at the front, and what is cut is shorter: each input means something.
    package static func all(of input: [UInt8]) -> [Change] {
        var changes: [Change] = []
        var rest = input[...]
        while rest.count >= 4 {
            let head = rest.prefix(4).map { Int($0) }
            let bytes = Array(rest.dropFirst(4).prefix(head[3]))
            let place = head[0] | head[1] << 8 | head[2] << 16
            let room = Int(cwinnow_control_size) - bytes.count
            changes.append(Change(place: place % room, bytes: bytes))
            rest = rest.dropFirst(4 + bytes.count)
        }
        return changes
    }
}
