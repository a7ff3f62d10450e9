// SPDX-License-Identifier: Apache-2.0

/// Where the file of a log is, and what the names beside it say.
struct LogPath {
    let folder: String
    let name: String

    init(_ path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        name = String(slash.map { path[path.utf8.index(after: $0)...] } ?? path[...])
        let head = slash.map { path[..<$0] } ?? "."
        folder = head.isEmpty ? "/" : String(head)
    }

    /// What a file is called while it is written; a point in front hides it.
    var prefixOfRemains: String { ".\(name).gz-" }

    /// What an old file is called; nil where the name is none of one.
    func rotatedName(of name: String) -> RotatedName? {
        // By their bytes, as the file system does: characters may be equal that have others.
        let (bytes, start) = (name.utf8, self.name.utf8)
        guard bytes.starts(with: start) else { return nil }
        return RotatedName(suffix: Substring(bytes.dropFirst(start.count)))
    }

    /// Whether a name is one that the log, an old file or the beginning of a compressed one has or may get.
    func has(_ name: String) -> Bool {
        name.utf8.elementsEqual(self.name.utf8) || rotatedName(of: name) != nil
            || name.hasPrefix(prefixOfRemains)
    }
}
