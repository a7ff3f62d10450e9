// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CZlib
internal import WinnowCore

/// Compressing.
extension RotatedFiles {
    /// Compresses those old files that have been left alone for long enough, the oldest first.
    ///
    /// - Parameters:
    ///   - waiting: The files that are to be compressed.
    ///   - isWanted: Whether all files are that are not, and not only those that wait already.
    /// - Returns: After how many nanoseconds it is to be called again; nil where no file waits.
    func compress(_ waiting: inout RestingFiles, isWanted: Bool) -> UInt64? {
        guard rotation.isCompressed else { return nil }
        do throws(SinkError) {
            let plain = try plainFiles()
            guard !plain.isEmpty else { return nil }
            guard czlib_is_available() != 0 else {
                note(.noZlib, ENOSYS)
                return nil
            }
            let folder = try openFolder()
            if isWanted { removeRemains(in: folder) }
            let now = cwinnow_clock_monotonic()
            waiting.follow(plain, at: now, areAllWanted: isWanted)
            for file in plain where waiting.hasRested(file, at: now) {
                if try compress(file, in: folder) { waiting.remove(file) }
            }
            return waiting.pause(at: cwinnow_clock_monotonic())
        } catch {
            note(.compression, error.systemError)
            return nil
        }
    }

    /// Returns the old files that are not compressed, the oldest first.
    ///
    /// Under the lock: a file whose name changes meanwhile may be listed twice, or not at all, and the
    /// log's file has the name of an old one for a moment where no new one can be made.
    private func plainFiles() throws(SinkError) -> [RotatedFile] {
        let folder = try lockedFolder(within: Self.patienceOfThread)
        defer { cwinnow_descriptor_unlock(folder.rawValue) }
        return try files(in: folder).reversed().filter { !$0.rotated.isCompressed }
    }

    /// Compresses a file, and puts the result in its place.
    ///
    /// What others still append meanwhile is not lost: then the file stays, for the next time.
    ///
    /// Returns false where the file has got another name by now, or was removed. One that cannot be
    /// opened is told, and not tried again until there is something else to compress.
    private func compress(
        _ file: RotatedFile,
        in folder: borrowing OwnedDescriptor
    ) throws(SinkError) -> Bool {
        let source = unsafe cwinnow_folder_open_file(folder.rawValue, file.name)
        guard source >= 0 else {
            if source == -ENOENT { return false }
            note(.compression, -source)
            return true
        }
        let from = OwnedDescriptor(source)
        var facts = cwinnow_file_facts()
        let status = unsafe cwinnow_descriptor_facts(from.rawValue, &facts)
        guard status == 0, facts.inode == file.inode, facts.born == file.born else { return false }
        // Another process, or another sink of this one, is about to compress it.
        guard cwinnow_descriptor_lock(from.rawValue) == 0 else { return true }
        defer { cwinnow_descriptor_unlock(from.rawValue) }
        let temporary = "\(path.prefixOfRemains)\(cwinnow_process_id())-\(file.inode)"
        try compress(from, as: temporary, in: folder)
        return true
    }

    /// Compresses an open file to another one of the given name, which takes its place.
    private func compress(
        _ from: borrowing OwnedDescriptor,
        as temporary: String,
        in folder: borrowing OwnedDescriptor
    ) throws(SinkError) {
        let to = try OwnedDescriptor(
            checking: unsafe cwinnow_folder_make_like(folder.rawValue, temporary, from.rawValue)
        )
        _ = cwinnow_descriptor_lock(to.rawValue)
        defer { cwinnow_descriptor_unlock(to.rawValue) }
        let count = czlib_compress(from.rawValue, to.rawValue)
        cwinnow_descriptor_copy_time(to.rawValue, from.rawValue)
        // Until then the file that is compressed is the only one which a loss of power leaves.
        let status = count < 0 ? count : Int64(cwinnow_file_sync(to.rawValue))
        let isPlaced = status >= 0 && place(temporary, for: from, of: count)
        if !isPlaced { _ = unsafe cwinnow_folder_remove(folder.rawValue, temporary) }
        guard status >= 0 else { throw SinkError(systemError: Int32(-status)) }
        try sync(folder)
        try removeTwin(of: from, of: count, isOurs: isPlaced)
    }

    /// Gives the compressed file the name of the other one, whatever that is by now.
    ///
    /// Returns false where the other one has more bytes than were compressed, or is gone, or has a
    /// compressed one.
    private func place(
        _ temporary: String,
        for source: borrowing OwnedDescriptor,
        of byteCount: Int64
    ) -> Bool {
        guard let folder = try? lockedFolder(within: Self.patienceOfThread) else { return false }
        defer { cwinnow_descriptor_unlock(folder.rawValue) }
        guard let file = file(source, in: folder), file.byteCount == UInt64(byteCount) else {
            return false
        }
        return (try? rename(temporary, to: compressedName(of: file), in: folder)) != nil
    }

    /// Waits until the names in the folder are on the disk: without the lock, as that may take long.
    private func sync(_ folder: borrowing OwnedDescriptor) throws(SinkError) {
        let status = cwinnow_file_sync(folder.rawValue)
        guard status == 0 else { throw SinkError(systemError: -status) }
    }

    /// Removes one of two files that hold the same: the one that is not compressed, or where it has
    /// more by now, the compressed one.
    ///
    /// - Parameters:
    ///   - source: The file that was compressed.
    ///   - byteCount: The bytes that were.
    ///   - isOurs: Whether the compressed one was just made.
    /// - Throws: ``SinkError`` with the errno value; EWOULDBLOCK where others change names just now.
    private func removeTwin(
        of source: borrowing OwnedDescriptor,
        of byteCount: Int64,
        isOurs: Bool
    ) throws(SinkError) {
        let folder = try lockedFolder(within: Self.patienceOfThread)
        defer { cwinnow_descriptor_unlock(folder.rawValue) }
        guard let file = file(source, in: folder) else { return }
        let target = compressedName(of: file)
        var placed = cwinnow_file_facts()
        guard unsafe cwinnow_folder_facts(folder.rawValue, target, &placed) == 0 else { return }
        if file.byteCount != UInt64(byteCount) {
            if isOurs { _ = unsafe cwinnow_folder_remove(folder.rawValue, target) }
        } else if placed.modified == file.modified {
            // They have one time, also where a process has left them that ended before it came to this.
            _ = unsafe cwinnow_folder_remove(folder.rawValue, file.name)
        }
    }

    /// Returns the old file that is open; nil where it has no name of one any more.
    private func file(
        _ source: borrowing OwnedDescriptor,
        in folder: borrowing OwnedDescriptor
    ) -> RotatedFile? {
        var facts = cwinnow_file_facts()
        guard unsafe cwinnow_descriptor_facts(source.rawValue, &facts) == 0 else { return nil }
        return try? files(in: folder).first { $0.inode == facts.inode }
    }

    private func compressedName(of file: RotatedFile) -> String {
        var compressed = file.rotated
        compressed.isCompressed = true
        return name + compressed.suffix
    }

    /// Removes what a process left that ended while it compressed.
    private func removeRemains(in folder: borrowing OwnedDescriptor) {
        let prefix = path.prefixOfRemains.utf8
        for name in (try? names(in: folder)) ?? [] where name.utf8.starts(with: prefix) {
            let file = unsafe cwinnow_folder_open_file(folder.rawValue, name)
            guard file >= 0 else { continue }
            let owned = OwnedDescriptor(file)
            // Who still writes to it has its lock.
            guard cwinnow_descriptor_lock(owned.rawValue) == 0 else { continue }
            _ = unsafe cwinnow_folder_remove(folder.rawValue, name)
            cwinnow_descriptor_unlock(owned.rawValue)
        }
    }
}
