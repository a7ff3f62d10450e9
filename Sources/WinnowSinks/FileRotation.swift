// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// When a log file is rotated, and how many old files are kept.
///
/// ```swift
/// try Winnow.start(.init(routes: [
///     .file("/var/log/app.log", rotate: .size(10 << 20, keep: 5)),
///     .file("/var/log/audit.log", rotate: .daily(keep: 30).compressed()),
/// ]))
/// ```
/// The file being written always has the given name. An old file has a number after the name,
/// `app.log.1` being the latest, or the time at which it was begun,
/// `app.log.2026-11-21T000000+0100`. A compressed file also has `.gz` after that. Only files with
/// such names are ever removed.
///
/// **Bounds.** A file is never larger than ``size``, unless a single record is, or the file cannot be
/// rotated in time: because other processes append as well, which is noticed within 100 ms, or because
/// one of them holds the lock for more than 50 ms. A separate thread compresses and removes old files;
/// until it has done so after a rotation, there are some more files than ``Kept`` allows.
///
/// **If no space is left**, on the disk or in a quota, for a record or for a new file, the oldest old
/// files are removed, whatever ``Kept`` says, and the log says so: the newest records tell most.
///
/// **Permissions.** The new file and a compressed one have those of the old one, and where the process
/// may give them its owner and its group. Where the group is another one, it has none of them.
///
/// **Several processes** can append to one file and rotate it: the first one rotates it, under the
/// lock of flock(2), and the others follow within 100 ms.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct FileRotation: Sendable, Hashable {
    /// A time at which a file ends.
    ///
    /// This is a closed set.
    @frozen
    public enum Period: Sendable, Hashable, CaseIterable {
        /// The end of an hour in the system's time zone.
        case hour
        /// Midnight in the system's time zone; the beginning of the day if the clock skips midnight.
        case day
    }

    /// What old files are called.
    ///
    /// This is a closed set.
    @frozen
    public enum Naming: Sendable, Hashable, CaseIterable {
        /// A number, from 1 for the latest: `app.log.1`.
        ///
        /// Each rotation gives every old file the next number, which takes about 25 µs for each, in the
        /// log call that rotates: without a bound on their number, ``date`` is better.
        case sequence
        /// The local time at which the file was begun, and its distance to UTC:
        /// `app.log.2026-11-21T000000+0100`.
        ///
        /// A rotation renames no old file, and takes about 5 µs for each, to read its name.
        case date
    }

    /// The bounds on old files: all bounds apply together, and nil means none.
    ///
    /// A value: MT-Safe, AS-Safe.
    public struct Kept: Sendable, Hashable {
        /// The number of old files.
        public var count: Int?
        /// The seconds since a file was written to last.
        public var age: Int?
        /// The bytes of all old files together.
        public var byteCount: Int?
        /// The bytes that stay free on the file system, as far as the removal of old files frees them.
        ///
        /// They are counted at the start and after each rotation.
        public var freeByteCount: Int?

        /// Creates bounds.
        ///
        /// - Parameters:
        ///   - count: The number of old files, from 0.
        ///   - age: The seconds since a file was written to last, from 1.
        ///   - byteCount: The bytes of all old files together, from 0.
        ///   - freeByteCount: The bytes that stay free on the file system, from 0.
        public init(
            count: Int? = nil,
            age: Int? = nil,
            byteCount: Int? = nil,
            freeByteCount: Int? = nil
        ) {
            self.count = count
            self.age = age
            self.byteCount = byteCount
            self.freeByteCount = freeByteCount
        }
    }

    /// The bytes that a file may have; nil is no bound.
    public var size: Int?
    /// The time at which a file ends; nil is none.
    public var period: Period?
    /// Whether a file that holds something is an old one when the sink is made.
    public var atStart: Bool
    /// What is kept of old files.
    public var kept: Kept
    /// What old files are called.
    public var naming: Naming
    /// Whether old files are compressed with gzip, by a separate thread at a lower priority; needs zlib
    /// at run time.
    ///
    /// Each file is first left alone for one to two seconds after its rotation, as other processes
    /// append to it for up to 100 ms.
    public var isCompressed: Bool
    /// The name of a symbolic link to the file, in the same folder; nil is none.
    public var link: String?

    /// Creates a rotation; without a size, a period and `atStart`, only ``FileSink/rotate()`` ends a
    /// file.
    ///
    /// - Parameters:
    ///   - size: The bytes that a file may have, from 1.
    ///   - period: The time at which a file ends.
    ///   - atStart: Whether a file that holds something is an old one when the sink is made.
    ///   - kept: What is kept of old files.
    ///   - naming: What old files are called.
    ///   - isCompressed: Whether old files are compressed with gzip.
    ///   - link: The name of a symbolic link to the file, in the same folder.
    public init(
        size: Int? = nil,
        period: Period? = nil,
        atStart: Bool = false,
        kept: Kept = Kept(),
        naming: Naming = .sequence,
        isCompressed: Bool = false,
        link: String? = nil
    ) {
        self.size = size
        self.period = period
        self.atStart = atStart
        self.kept = kept
        self.naming = naming
        self.isCompressed = isCompressed
        self.link = link
    }

    /// A new file when the next record would make this one larger than so many bytes.
    public static func size(_ byteCount: Int, keep count: Int? = nil) -> FileRotation {
        FileRotation(size: byteCount, kept: Kept(count: count))
    }

    /// A new file with each hour of local time.
    public static func hourly(keep count: Int? = nil) -> FileRotation {
        FileRotation(period: .hour, kept: Kept(count: count))
    }

    /// A new file with each day of local time.
    public static func daily(keep count: Int? = nil) -> FileRotation {
        FileRotation(period: .day, kept: Kept(count: count))
    }

    /// A new file with each start of the program.
    public static func atStart(keep count: Int? = nil) -> FileRotation {
        FileRotation(atStart: true, kept: Kept(count: count))
    }

    /// The same, with old files compressed.
    public func compressed() -> FileRotation {
        var rotation = self
        rotation.isCompressed = true
        return rotation
    }
}

/// What is wrong with a rotation.
package struct FileRotationProblem: Error, Hashable {
    package let reason: String
}

extension FileRotation {
    /// Throws where a part of the rotation has no meaning for a log at the path.
    package func check(for path: String) throws(FileRotationProblem) {
        try Self.check(size, isAtLeast: 1, "size")
        try Self.check(kept.count, isAtLeast: 0, "number of files to keep")
        try Self.check(kept.age, isAtLeast: 1, "age of files to keep")
        try Self.check(kept.byteCount, isAtLeast: 0, "size of files to keep")
        try Self.check(kept.freeByteCount, isAtLeast: 0, "free space to keep")
        guard let link else { return }
        let isName = !link.isEmpty && link != "." && link != ".."
        if !isName || link.utf8.contains(UInt8(ascii: "/")) || link.utf8.contains(0) {
            throw FileRotationProblem(
                reason: "the link is a name in the folder of the file, not \"\(link)\""
            )
        }
        guard LogPath(path).has(link) else { return }
        throw FileRotationProblem(reason: "the link has a name of the log's files, \"\(link)\"")
    }

    private static func check(
        _ value: Int?,
        isAtLeast least: Int,
        _ name: String
    ) throws(FileRotationProblem) {
        guard let value, value < least else { return }
        throw FileRotationProblem(reason: "the \(name) is at least \(least), not \(value)")
    }

    /// When the period ends that a time lies in, both in nanoseconds since 1970; the greatest number
    /// without a period.
    package func end(ofPeriodAt time: UInt64) -> UInt64 {
        let second = Int64(time / 1_000_000_000)
        let end: Int64
        switch period {
        case nil: return .max
        case .hour: end = cwinnow_clock_next_hour(second)
        case .day: end = cwinnow_clock_next_day(second)
        }
        return UInt64(nanosecondsOf: Int(end))
    }

    /// Whether a file of so many bytes must make way for more of them.
    func isFull(_ byteCount: Int, for more: Int) -> Bool {
        guard let size, byteCount > 0 else { return false }
        return byteCount > size - more
    }
}

extension FileRotation.Kept {
    /// Returns those of the old files that are too many, from the latest to the oldest.
    ///
    /// - Parameters:
    ///   - files: The old files, the latest first.
    ///   - now: The time, in nanoseconds since 1970.
    ///   - free: The bytes that are free on their file system.
    /// - Returns: The files to remove.
    func excess(of files: [RotatedFile], at now: UInt64, free: UInt64) -> [RotatedFile] {
        var (kept, excess) = split(files.fromLatest(at: now), at: now)
        guard let freeByteCount, free < UInt64(freeByteCount) else { return excess }
        var missing = excess.reduce(Int64(freeByteCount) - Int64(free)) { missing, file in
            missing - Int64(clamping: file.byteCount)
        }
        while missing > 0, let file = kept.popLast() {
            missing -= Int64(clamping: file.byteCount)
            excess.append(file)
        }
        return excess
    }

    /// Returns the files that stay, and those that are too many but for the free space.
    private func split(
        _ ordered: [RotatedFile],
        at now: UInt64
    ) -> (kept: [RotatedFile], excess: [RotatedFile]) {
        var (kept, excess): ([RotatedFile], [RotatedFile]) = ([], [])
        var byteCount: UInt64 = 0
        var isOver = false
        for (index, file) in ordered.enumerated() {
            let (sum, isHuge) = byteCount.addingReportingOverflow(file.byteCount)
            byteCount = isHuge ? .max : sum
            // Behind the first that is too many for count or bytes all are: no holes.
            isOver =
                isOver || index >= count ?? .max
                || byteCount > UInt64(self.byteCount ?? .max)
            if isOver || isTooOld(file, at: now) {
                excess.append(file)
            } else {
                kept.append(file)
            }
        }
        return (kept, excess)
    }

    private func isTooOld(_ file: RotatedFile, at now: UInt64) -> Bool {
        // A file may have a time that is still to come.
        guard let age, now > file.modified else { return false }
        return now - file.modified > UInt64(nanosecondsOf: age)
    }
}
