// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore
internal import WinnowFormatters

/// The old files of a log: how they get their names, and what becomes of them.
///
/// All changes of names are made under the lock of the folder, flock(2): several processes may rotate
/// the same log, and a thread of this one compresses.
final class RotatedFiles: Sendable {
    /// What can go wrong, of which the log is told.
    enum Problem: UInt64 {
        case rotation = 1
        case removal, compression, noZlib, link
    }

    /// How long a change of names waits for another one, in nanoseconds.
    private static let patience: UInt64 = 50_000_000
    static let patienceOfThread: UInt64 = 1_000_000_000

    let path: LogPath
    let rotation: FileRotation
    /// The last problem that nobody was told of: what it is above bit 32, below it the errno value.
    private let untold = Atomic<UInt64>(0)

    init(path: String, rotation: FileRotation) {
        self.path = LogPath(path)
        self.rotation = rotation
    }

    /// The name of the log's file.
    var name: String { path.name }

    /// Notes a problem for the log.
    func note(_ problem: Problem, _ error: Int32) {
        untold.store(
            problem.rawValue &<< 32 | UInt64(UInt32(bitPattern: error)),
            ordering: .relaxed
        )
    }

    /// Takes the last problem that was not told; nil where there is none.
    func takeProblem() -> (problem: Problem, error: Int32)? {
        guard untold.load(ordering: .relaxed) != 0 else { return nil }
        let word = untold.exchange(0, ordering: .relaxed)
        guard let problem = Problem(rawValue: word &>> 32) else { return nil }
        return (problem, Int32(truncatingIfNeeded: word))
    }

    /// Gives the log's file the name of an old one, provided that it is still the given file, and
    /// opens a new one in its place.
    ///
    /// - Parameters:
    ///   - file: The file that is to be moved; where that fails it stays, and has its name.
    ///   - begun: When it was begun, in nanoseconds since 1970.
    /// - Returns: Whether it was moved; false where another process has done so, whose file is open then.
    /// - Throws: ``SinkError`` with the errno value; EWOULDBLOCK where others change names just now.
    func moveAside(_ file: inout LogFile, begun: UInt64) throws(SinkError) -> Bool {
        let folder = try lockedFolder(within: Self.patience)
        defer { cwinnow_descriptor_unlock(folder.rawValue) }
        var facts = cwinnow_file_facts()
        let status = unsafe cwinnow_folder_facts(folder.rawValue, name, &facts)
        guard status == 0, facts.inode == file.inode else {
            try file.renew()
            return false
        }
        let old = try files(in: folder)
        let mark: RotatedName.Mark
        switch rotation.naming {
        case .sequence:
            try makeRoom(among: old, in: folder)
            mark = .number(1)
        case .date:
            mark = Self.mark(begun, among: old)
        }
        let oldName = name + RotatedName(mark).suffix
        try rename(name, to: oldName, in: folder)
        do throws(SinkError) {
            try file.renew()
        } catch {
            // As an old file it would be compressed and removed, and is written to.
            try? rename(oldName, to: name, in: folder)
            throw error
        }
        return true
    }

    /// Puts the link in place, where one is wanted.
    func makeLink() {
        guard let link = rotation.link else { return }
        let folder = unsafe cwinnow_folder_open(path.folder)
        guard folder >= 0 else { return note(.link, -folder) }
        let owned = OwnedDescriptor(folder)
        // SAFETY: the call reads both names, and keeps no pointer.
        let status = unsafe cwinnow_folder_link(owned.rawValue, name, link)
        if status < 0 { note(.link, -status) }
    }

    /// Removes the old files that are too many.
    ///
    /// - Parameter patience: How long it waits for others that change names, in nanoseconds: on a thread
    ///   of a log call not long, as the thread of the rotation does what is left.
    func removeExcess(within patience: UInt64 = patience) {
        guard rotation.kept != FileRotation.Kept() else { return }
        do throws(SinkError) {
            let folder = try lockedFolder(within: patience)
            defer { cwinnow_descriptor_unlock(folder.rawValue) }
            let now = cwinnow_clock_realtime()
            let free = cwinnow_folder_free_bytes(folder.rawValue)
            let old = try files(in: folder)
            for file in rotation.kept.excess(of: old, at: now, free: free) {
                let status = unsafe cwinnow_folder_remove(folder.rawValue, file.name)
                if status < 0, status != -ENOENT { note(.removal, -status) }
            }
        } catch {
            let isLeft = error.systemError == EWOULDBLOCK && patience < Self.patienceOfThread
            if !isLeft { note(.removal, error.systemError) }
        }
    }

    /// Removes the oldest old file that can be removed; returns it, or nil where there is none now.
    func removeOldest() -> RotatedFile? {
        guard let folder = try? lockedFolder(within: Self.patience) else { return nil }
        defer { cwinnow_descriptor_unlock(folder.rawValue) }
        let old = (try? files(in: folder)) ?? []
        return old.fromLatest(at: cwinnow_clock_realtime()).last {
            unsafe cwinnow_folder_remove(folder.rawValue, $0.name) == 0
        }
    }
}

/// The names.
extension RotatedFiles {
    func openFolder() throws(SinkError) -> OwnedDescriptor {
        // SAFETY: open(2) reads the path, and keeps no pointer to it.
        try OwnedDescriptor(checking: unsafe cwinnow_folder_open(path.folder))
    }

    /// Opens the folder, with its lock, which the caller gives back: with the descriptor it ends only
    /// where no child of a fork has that as well.
    func lockedFolder(within nanoseconds: UInt64) throws(SinkError) -> OwnedDescriptor {
        let folder = try openFolder()
        let start = cwinnow_clock_monotonic()
        let patience = min(nanoseconds, SinkPatience.rest)
        while true {
            let status = cwinnow_descriptor_lock(folder.rawValue)
            let time = cwinnow_clock_monotonic() - start
            if status != -EWOULDBLOCK || time >= patience { SinkPatience.spend(time) }
            if status == 0 { return folder }
            guard status == -EWOULDBLOCK, time < patience else {
                throw SinkError(systemError: -status)
            }
            cwinnow_thread_pause(500_000)
        }
    }

    /// Does what the first rotation does, at the start: on the thread of the record there may be no room for what
    /// Swift's runtime does when a generic type is first used.
    func rehearse() {
        guard let folder = try? openFolder() else { return }
        _ = try? files(in: folder)
    }

    /// Returns the old files, the latest first.
    func files(in folder: borrowing OwnedDescriptor) throws(SinkError) -> [RotatedFile] {
        var files: [RotatedFile] = []
        files.reserveCapacity(1)
        for name in try names(in: folder) {
            if let file = rotatedFile(name, in: folder) { files.append(file) }
        }
        return files.sorted { $0.rotated.isLater(than: $1.rotated) }
    }

    private func rotatedFile(_ name: String, in folder: borrowing OwnedDescriptor) -> RotatedFile? {
        guard let rotated = path.rotatedName(of: name) else { return nil }
        var facts = cwinnow_file_facts()
        guard unsafe cwinnow_folder_facts(folder.rawValue, name, &facts) == 0,
            facts.is_regular
        else { return nil }
        return RotatedFile(
            name: name,
            rotated: rotated,
            byteCount: facts.byte_count,
            modified: facts.modified,
            born: facts.born,
            inode: facts.inode
        )
    }

    /// Returns all names that are text: others are of no log, and would come out as names of text.
    func names(in folder: borrowing OwnedDescriptor) throws(SinkError) -> [String] {
        var names: [String] = []
        let status = unsafe withUnsafeMutablePointer(to: &names) { list in
            // SAFETY: the calls of the body lie within this one, and the context is the array.
            unsafe cwinnow_folder_list(
                folder.rawValue,
                { context, name in
                    guard let list = unsafe context?.assumingMemoryBound(to: [String].self),
                        let name = unsafe String(validatingCString: name)
                    else { return }
                    unsafe list.pointee.append(name)
                },
                list
            )
        }
        guard status == 0 else { throw SinkError(systemError: -status) }
        return names
    }

    func rename(
        _ name: String,
        to other: String,
        in folder: borrowing OwnedDescriptor
    ) throws(SinkError) {
        // SAFETY: rename(2) reads both names, and keeps no pointer.
        let status = unsafe cwinnow_folder_rename(folder.rawValue, name, other)
        guard status == 0 else { throw SinkError(systemError: -status) }
    }

    /// Gives each of the files 1, 2 … up to the first number that nobody has the next number.
    private func makeRoom(
        among files: [RotatedFile],
        in folder: borrowing OwnedDescriptor
    ) throws(SinkError) {
        var free = 1
        while files.contains(where: { $0.rotated.mark == .number(free) }) { free += 1 }
        for number in (1..<free).reversed() {
            for file in files where file.rotated.mark == .number(number) {
                let next = RotatedName(
                    .number(number + 1),
                    isCompressed: file.rotated.isCompressed
                )
                try rename(file.name, to: name + next.suffix, in: folder)
            }
        }
    }

    /// The mark of a file that was begun at a time, in nanoseconds since 1970, and of no other.
    private static func mark(_ begun: UInt64, among files: [RotatedFile]) -> RotatedName.Mark {
        let second = Int(begun / 1_000_000_000)
        let others = files.compactMap { file -> Int? in
            guard case .date(second, _, let ordinal) = file.rotated.mark else { return nil }
            return ordinal
        }
        let offset = CivilTime(local: begun).offset ?? 0
        return .date(second: second, offset: offset, ordinal: (others.max() ?? 0) + 1)
    }
}
