// SPDX-License-Identifier: Apache-2.0

/// The old files that are to be compressed, each of which is first left alone for a second.
///
/// Other processes append to a file for up to 100 ms after it was rotated. The second is that of
/// CLOCK_MONOTONIC, from when the file was first seen with the name of an old one: the times of a file
/// follow a clock that may be set, and a rotation that gives it another number changes one of them.
struct RestingFiles {
    /// How long a file is left alone, in nanoseconds: ten times as long as others append to it.
    private static let grace: UInt64 = 1_000_000_000
    /// The shortest time between two looks at the names, in nanoseconds: a file that has just got
    /// another name may get the next one soon.
    private static let shortestPause: UInt64 = 50_000_000

    /// When a file was made, and since when it is known, by its number in the file system.
    private var known: [UInt64: (born: UInt64, since: UInt64)] = [:]

    /// Takes over what there is now.
    ///
    /// A file that has the number of one that was removed begins anew. Where the file system does not
    /// know when a file was made, so does one that was written to.
    ///
    /// - Parameters:
    ///   - files: The old files that are not compressed.
    ///   - now: The time on CLOCK_MONOTONIC, in nanoseconds.
    ///   - areAllWanted: Whether those are to be compressed as well that did not wait so far.
    mutating func follow(_ files: [RotatedFile], at now: UInt64, areAllWanted: Bool) {
        var present: [UInt64: (born: UInt64, since: UInt64)] = [:]
        for file in files {
            let old = known[file.inode]
            guard old != nil || areAllWanted else { continue }
            let since = old.map { $0.born == file.born ? $0.since : now } ?? now
            present[file.inode] = (file.born, since)
        }
        known = present
    }

    /// Whether a file waits, and has done so for long enough.
    func hasRested(_ file: RotatedFile, at now: UInt64) -> Bool {
        guard let entry = known[file.inode] else { return false }
        return now - entry.since >= Self.grace
    }

    /// Notes that a file waits no longer.
    mutating func remove(_ file: RotatedFile) {
        known[file.inode] = nil
    }

    /// Returns how long the next file still waits, in nanoseconds; nil where none does.
    func pause(at now: UInt64) -> UInt64? {
        guard let first = known.values.map(\.since).min() else { return nil }
        let end = first + Self.grace
        return end > now + Self.shortestPause ? end - now : Self.shortestPause
    }
}
