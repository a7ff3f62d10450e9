// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Memory that this machine has used before, for the files to come.
///
/// A virtual machine gets its memory from its host page by page, where it first writes to it. For a
/// page of a file's cache, that takes 10 µs on the machine of the results, as long as a hundred lines
/// take Winnow; and it falls to whichever logger comes first.
enum UsedMemory {
    /// Writes a file of as many bytes, and removes it: the kernel gives its pages to the next one.
    static func provide(_ byteCount: Int, at path: String) throws {
        let piece = Data(repeating: 0, count: 1 << 20)
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw BenchmarkError("\(path) cannot be made") }
        defer { try? FileManager.default.removeItem(atPath: path) }
        for _ in 0..<max(1, byteCount / piece.count) { try file.write(contentsOf: piece) }
        try file.close()
    }
}
