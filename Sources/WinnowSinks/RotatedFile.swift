// SPDX-License-Identifier: Apache-2.0

/// An old file of a log.
struct RotatedFile {
    let name: String
    let rotated: RotatedName
    let byteCount: UInt64
    /// When it was written to last, in nanoseconds since 1970.
    let modified: UInt64
    /// When it was made: its number in the file system may have been another file's before.
    let born: UInt64
    let inode: UInt64
}

extension [RotatedFile] {
    /// The files by their names, but those at the end that a clock has named which was ahead: they would be
    /// the latest for long.
    func fromLatest(at now: UInt64) -> [RotatedFile] {
        filter { !$0.isAhead(of: now) } + filter { $0.isAhead(of: now) }
    }
}

extension RotatedFile {
    /// How far a clock was ahead at least that had been wrong for good, in nanoseconds: an hour.
    ///
    /// What a clock has written that is set back by less is younger than most other files.
    private static let slack: UInt64 = 3_600_000_000_000

    /// Whether the file is named by a time, and was written when the clock was ahead of what it is now.
    fileprivate func isAhead(of now: UInt64) -> Bool {
        guard case .date = rotated.mark, modified > now else { return false }
        return modified - now > Self.slack
    }
}
