// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Rotates the file of one sink: notices when it is time, and brings it about.
struct FileRotator: ~Copyable {
    /// How long after a failure it is tried again, in nanoseconds; twice as long each time.
    private static let firstPause: UInt64 = 1_000_000_000
    private static let longestPause: UInt64 = 60_000_000_000
    /// The same where another process was about to rotate, and how long one may take: each try has
    /// a log call wait.
    private static let shortPause: UInt64 = 10_000_000
    private static let longestTurn: UInt64 = 1_000_000_000
    /// How long a log call gives up old files for space, in nanoseconds.
    private static let longestSacrifice: UInt64 = 50_000_000
    /// By how much a record may be earlier than the others without a check of the clock, in nanoseconds: more
    /// than threads wait for each other.
    private static let slack: UInt64 = 60_000_000_000
    /// How much a file may be younger than its file system says, whose clock is behind by a tick, in
    /// nanoseconds: the longest tick there is.
    private static let tick: UInt64 = 10_000_000

    private let rotation: FileRotation
    private let files: RotatedFiles
    private let tidying: RotationThread
    /// When the period of the present file ends, and when it was begun: in nanoseconds since 1970.
    private var end: UInt64
    private var begun: UInt64
    /// The time that the end was computed from, less the slack: a clock that shows an earlier time was set
    /// back, and the end may be years ahead.
    private var earliest: UInt64 = 0
    /// Which file that is said of.
    private var inode: UInt64
    /// Whether a period has ended whose file could not be rotated yet.
    private var isOwing = false
    /// When it is tried again after a failure, on CLOCK_MONOTONIC.
    private var nextAttempt: UInt64 = 0
    private var pause = Self.firstPause
    /// Since when others have had the lock with each try, on CLOCK_MONOTONIC; 0 where the last one
    /// failed otherwise, or the file is another one.
    private var lockedSince: UInt64 = 0
    /// What the log was told of last, until it works again.
    private var told: RotatedFiles.Problem?
    /// The old files that were given up for want of space, of which nobody was told.
    private var givenUp: (count: Int, byteCount: UInt64) = (0, 0)
    /// When the next one may be, on CLOCK_MONOTONIC: where the space of the last ones has helped nobody, another
    /// program takes all that there is.
    private var nextSacrifice: UInt64 = 0

    /// Takes over a file that was just opened.
    init(path: String, rotation: FileRotation, file: inout LogFile) {
        self.rotation = rotation
        files = RotatedFiles(path: path, rotation: rotation)
        tidying = RotationThread(files)
        let facts = file.facts
        let isEmpty = facts.byte_count == 0
        // A copy that kept its time is younger than what it holds.
        begun = isEmpty ? cwinnow_clock_realtime() : min(facts.born, facts.modified)
        end = .max
        inode = file.inode
        beginPeriod(at: isEmpty ? begun : facts.modified)
        if rotation.atStart {
            rotate(&file)
            // Here and not on the thread, which would never begin in a program that ends at once.
            files.removeExcess()
        }
        files.rehearse()
        files.makeLink()
        tidying.begin()
    }

    /// Whether the period of the file is over at the time of a record, in nanoseconds since 1970; said
    /// once for each period.
    mutating func isOver(at time: UInt64) -> Bool {
        if time < earliest { followClock(at: time) }
        guard time >= end else { return false }
        beginPeriod(at: time)
        return true
    }

    private mutating func beginPeriod(at time: UInt64) {
        end = rotation.end(ofPeriodAt: time)
        earliest = time > Self.slack ? time - Self.slack : 0
    }

    /// Makes the end anew where the clock was set back behind a record, or behind the file's time:
    /// as it is soon after the start of a machine whose clock was wrong.
    ///
    /// A record that has waited is as early, but the clock is not.
    @inline(never)
    private mutating func followClock(at time: UInt64) {
        guard rotation.period != nil else { return }
        let now = cwinnow_clock_coarse()
        if now < earliest { beginPeriod(at: max(now, time)) }
    }

    /// Rotates where the period is over at the time of a record.
    mutating func turn(_ file: inout LogFile, at time: UInt64) {
        if isOver(at: time) { endPeriod(of: &file) }
    }

    /// Rotates where a period is over, unless the file was begun in the new one: by another process
    /// that was first, or for its size with a record that came late.
    mutating func endPeriod(of file: inout LogFile) {
        if inode != file.inode { follow(file) }
        // A file that is still to come is of a clock that was set back since.
        let isOfPast = begun <= cwinnow_clock_realtime()
        if isOfPast, rotation.end(ofPeriodAt: begun + Self.tick) >= end { return }
        rotate(&file)
    }

    /// Takes over the file that another process has begun, which has done what was owed.
    private mutating func follow(_ file: borrowing LogFile) {
        adopt(file)
        isOwing = false
    }

    /// Rotates where the file has no room for so many bytes, or should have been rotated before.
    mutating func makeRoom(for byteCount: Int, in file: inout LogFile) {
        if isOwing, inode != file.inode { follow(file) }
        if isOwing || rotation.isFull(file.byteCount, for: byteCount) { rotate(&file) }
    }

    /// The bytes that the file may still have; those of another file where it cannot be rotated
    /// just now.
    func room(in file: borrowing LogFile) -> Int {
        guard let size = rotation.size else { return .max }
        return file.byteCount < size ? size - file.byteCount : size
    }

    /// Has the file make way for a new one, unless it is empty, or ends in a torn record whose line
    /// cannot be ended; does nothing shortly after a failure.
    mutating func rotate(_ file: inout LogFile) {
        guard file.byteCount > 0 else {
            isOwing = false
            return
        }
        guard cwinnow_clock_monotonic() >= nextAttempt, endLine(of: &file) else {
            isOwing = true
            return
        }
        if inode != file.inode { adopt(file) }
        do throws(SinkError) {
            let isMoved = try moveAside(&file)
            settle(file, isMoved: isMoved)
        } catch {
            isOwing = true
            postpone(error)
        }
    }

    /// Gives the file the name of an old one; where no space is left for a new file, it gives up another.
    private mutating func moveAside(_ file: inout LogFile) throws(SinkError) -> Bool {
        do throws(SinkError) {
            return try files.moveAside(&file, begun: begun)
        } catch {
            guard makeSpace(for: 1, after: error) else { throw error }
            return try files.moveAside(&file, begun: begun)
        }
    }

    /// Gives up the oldest old files where no space is left for so many bytes: the newest records tell
    /// most.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes that are to be written.
    ///   - error: What has kept them from it.
    /// - Returns: Whether it may be tried again.
    mutating func makeSpace(for byteCount: Int, after error: SinkError) -> Bool {
        guard error.systemError == ENOSPC || error.systemError == EDQUOT else { return false }
        let now = cwinnow_clock_monotonic()
        guard now >= nextSacrifice else { return false }
        var freed: UInt64 = 0
        while freed < UInt64(byteCount),
            cwinnow_clock_monotonic() - now < Self.longestSacrifice,
            let file = files.removeOldest()
        {
            freed += file.byteCount
            givenUp = (givenUp.count + 1, givenUp.byteCount + file.byteCount)
        }
        nextSacrifice = now + Self.firstPause
        return freed > 0
    }

    /// Notes that what was written last has found space.
    mutating func foundSpace() {
        nextSacrifice = 0
    }

    /// Ends the line of a torn record, as old files are read as one text with what follows; returns
    /// whether none is left.
    private func endLine(of file: inout LogFile) -> Bool {
        guard file.endsInTornRecord else { return true }
        return (try? file.endTornLine()) != nil
    }

    private mutating func settle(_ file: borrowing LogFile, isMoved: Bool) {
        isOwing = false
        pause = Self.firstPause
        nextAttempt = 0
        nextSacrifice = 0
        if told == .rotation { told = nil }
        adopt(file)
        guard isMoved else { return }
        files.makeLink()
        tidying.begin()
    }

    /// Notes when a file was begun that another has put there, or this rotation.
    private mutating func adopt(_ file: borrowing LogFile) {
        inode = file.inode
        lockedSince = 0
        begun = file.byteCount == 0 ? cwinnow_clock_realtime() : file.facts.born
    }

    private mutating func postpone(_ error: SinkError) {
        let now = cwinnow_clock_monotonic()
        guard !isOtherTurn(error, at: now) else {
            nextAttempt = now + Self.shortPause
            return
        }
        nextAttempt = now + pause
        pause = min(pause * 2, Self.longestPause)
        files.note(.rotation, error.systemError)
    }

    /// Whether a failure means that another process rotates just now, which does not take long.
    private mutating func isOtherTurn(_ error: SinkError, at now: UInt64) -> Bool {
        guard error.systemError == EWOULDBLOCK else {
            lockedSince = 0
            return false
        }
        if lockedSince == 0 { lockedSince = now }
        return now - lockedSince < Self.longestTurn
    }

    /// Takes what the log is to be told: a problem that it was not told of since all was well.
    mutating func takeReport() -> String? {
        if givenUp.count > 0 { return takeSacrifice() }
        guard let (problem, error) = files.takeProblem(), problem != told else { return nil }
        told = problem
        let isLocked = error == EWOULDBLOCK
        let reason =
            isLocked
            ? "another process holds the lock of the folder" : systemErrorText(error)
        switch problem {
        case .rotation: return "\(path) cannot be rotated, and grows on: \(reason)"
        case .removal: return "old files of \(path) cannot be removed: \(reason)"
        case .compression: return "old files of \(path) cannot be compressed: \(reason)"
        case .noZlib: return "old files of \(path) are not compressed: libz.so.1 is missing"
        case .link: return "the link to \(path) cannot be made: \(reason)"
        }
    }

    private mutating func takeSacrifice() -> String {
        defer { givenUp = (0, 0) }
        let files = givenUp.count == 1 ? "the oldest file" : "the \(givenUp.count) oldest files"
        return "no space is left for new records: \(files) of \(path) "
            + "\(givenUp.count == 1 ? "was" : "were") removed, with \(givenUp.byteCount) bytes"
    }

    private var path: String { "\(files.path.folder)/\(files.name)" }
}
