// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A file that is open for appending, and follows its path.
struct LogFile: ~Copyable {
    /// From the root on, as the path is opened again where chdir(2) may have led elsewhere.
    let path: String
    private let mode: UInt32
    private var descriptor: OwnedDescriptor
    private var identity: FileIdentity
    /// The size of the file in bytes; what other processes append is included as of the last look.
    private(set) var byteCount = 0
    /// The process that opened the file: a child opens its own, as the two would share a position.
    private var process: Int32
    /// When the path is compared with the file that is open: lstat(2) with each record would cost as
    /// much as the write itself.
    private var lookTime = LookTime()
    private var wasMissing = false
    private var isTorn = false
    /// Whether the file was moved and its path cannot be opened, and what is to be said of it.
    private var isAstray = false
    private var report: String?
    private var sizeLimit = FileSizeLimit()

    init(path: String, mode: UInt32) throws(SinkError) {
        self.path = AbsolutePath.of(path)
        self.mode = mode
        descriptor = try Self.open(self.path, mode)
        identity = FileIdentity(of: descriptor.rawValue)
        process = cwinnow_process_id()
        lookTime.begin(at: cwinnow_clock_realtime())
        countBytes()
        isTorn = byteCount > 0 && endsWithinLine == true
    }

    /// Creates one that no file is open of: each record tries to open the path, as after the file
    /// was lost.
    init(notYetAt path: String, mode: UInt32) {
        self.path = AbsolutePath.of(path)
        self.mode = mode
        descriptor = OwnedDescriptor(-1)
        identity = FileIdentity()
        process = cwinnow_process_id()
    }

    /// The number of the file in its file system.
    var inode: UInt64 { identity.inode }

    /// What is known of the file that is open.
    var facts: cwinnow_file_facts {
        var facts = cwinnow_file_facts()
        // SAFETY: statx(2) fills in the structure.
        _ = unsafe cwinnow_descriptor_facts(descriptor.rawValue, &facts)
        return facts
    }

    private mutating func countBytes() {
        byteCount = max(0, Int(cwinnow_descriptor_size(descriptor.rawValue)))
    }

    /// Whether the last bytes of the file are a piece of a record: of ours, or of a process that
    /// was killed.
    var endsInTornRecord: Bool {
        isTorn && cwinnow_descriptor_size(descriptor.rawValue) != 0
    }

    /// The same of what the file holds now, whoever has written it; nil where it cannot be read.
    private var endsWithinLine: Bool? {
        // SAFETY: open(2) reads the path, and keeps no pointer to it.
        let outcome = unsafe cwinnow_file_ends_within_line(descriptor.rawValue, path)
        return outcome < 0 ? nil : outcome == 1
    }

    /// Ends the line of the piece that the file ends in.
    @inline(never)
    mutating func endTornLine() throws(SinkError) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        leaveForeignFile()
        // Others may have done so since, or were still at work when the file was opened.
        guard endsWithinLine != false else {
            isTorn = false
            return
        }
        let file = descriptor.rawValue
        let result = unsafe withUnsafePointer(to: UInt8(ascii: "\n")) {
            unsafe sizeLimit.write(file, UnsafeBufferPointer(start: $0, count: 1))
        }
        guard result == 1 else { throw failure(Int32(-result)) }
        isTorn = false
        byteCount += 1
    }

    /// Opens the path anew; stays with the file that is open where that fails.
    mutating func reopen() throws(SinkError) {
        try reopen(makingWith: mode)
    }

    /// The same, where the path has no file with one of the given permissions.
    private mutating func reopen(makingWith mode: UInt32) throws(SinkError) {
        leaveForeignFile()
        process = cwinnow_process_id()
        wasMissing = false
        sizeLimit.forget()
        let opened = try Self.open(path, mode)
        isAstray = false
        report = nil
        let newIdentity = FileIdentity(of: opened.rawValue)
        let isAnother = newIdentity != identity
        identity = newIdentity
        descriptor = opened
        countBytes()
        if isAnother { isTorn = endsWithinLine == true }
    }

    /// Opens the path anew after a rotation: a file with the permissions of the one that is open, and
    /// where this process may do so its owner and its group.
    mutating func renew() throws(SinkError) {
        leaveForeignFile()
        let copy = cwinnow_descriptor_copy(descriptor.rawValue)
        let old = OwnedDescriptor(max(copy, -1))
        // Otherwise, someone who may not read the old file could open the new one before its mode is set.
        try reopen(makingWith: cwinnow_descriptor_mode_like(descriptor.rawValue, mode))
        guard copy >= 0 else { return }
        cwinnow_descriptor_become_like(descriptor.rawValue, old.rawValue)
    }

    /// Opens the path anew where another file stands there by now, or none.
    ///
    /// - Parameter now: The time, in nanoseconds since 1970.
    /// - Throws: What keeps it from that, where no file is open.
    @inline(__always)
    mutating func follow(at now: UInt64) throws(SinkError) {
        guard lookTime.isOver(at: now) || process != cwinnow_process_id() else { return }
        try look()
    }

    /// Compares the path with the file that is open, which may be none, or the parent's.
    @inline(never)
    private mutating func look() throws(SinkError) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        let isChild = process != cwinnow_process_id()
        // A record that has waited for the file knows an earlier time.
        let now = cwinnow_clock_realtime()
        guard isChild || lookTime.isOver(at: now) else { return }
        leaveForeignFile()
        guard descriptor.rawValue >= 0 else { return try reopen() }
        lookTime.begin(at: now)
        sizeLimit.look()
        countBytes()
        let isGone = needsReopening()
        guard isChild || isGone else { return }
        do throws(SinkError) {
            try reopen()
        } catch {
            // A child with fewer rights stays with its parent's file.
            if isGone { try stay(after: error) }
        }
    }

    /// Stays with a file that was moved, as it is a better place than none.
    ///
    /// That is said once, for which one record has to wait a moment. A file that was deleted is no
    /// place: records wait until there is one.
    private mutating func stay(after error: SinkError) throws(SinkError) {
        if cwinnow_descriptor_links(descriptor.rawValue) == 0 {
            _ = giveUp()
            throw error
        }
        guard !isAstray else { return }
        isAstray = true
        report =
            "\(path) cannot be opened, and records go to the file that was moved: "
            + systemErrorText(error.systemError)
        throw error
    }

    /// Takes what the log is to be told of the file.
    mutating func takeReport() -> String? {
        defer { report = nil }
        return report
    }

    /// Leaves a file that the program has opened under our number, as after closefrom(3), as it is.
    private mutating func leaveForeignFile() {
        guard descriptor.rawValue >= 0 else { return }
        let found = FileIdentity(of: descriptor.rawValue)
        guard found != identity else { return }
        // A file system may number its files anew.
        if found == FileIdentity(at: path) {
            identity = found
        } else {
            _ = giveUp().release()
        }
    }

    /// Closes the file; the next record opens the path anew.
    mutating func close() {
        leaveForeignFile()
        _ = giveUp()
    }

    /// Has the next record open the path anew; returns the file that was open.
    private mutating func giveUp() -> OwnedDescriptor {
        lookTime.end()
        var old = OwnedDescriptor(-1)
        swap(&old, &descriptor)
        return old
    }

    /// Writes the bytes of one record, once; what it returns is for ``finish(_:after:)``, unless it is
    /// their number.
    ///
    /// A pointer, as a buffer that is lent beside its file would be copied.
    @inline(__always)
    mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let result = unsafe sizeLimit.write(descriptor.rawValue, bytes)
        if result == bytes.count {
            isTorn = false
            byteCount &+= result
        }
        return result
    }

    /// Appends the rest of one record's bytes, or, where it can be helped, takes back what was written; all of
    /// them where no write was made.
    mutating func finish(_ bytes: borrowing ByteBuffer, after result: Int?) throws(SinkError) {
        let cancellation = cwinnow_cancellation_put_off()
        defer { cwinnow_cancellation_restore(cancellation) }
        let error = unsafe withUnsafePointer(to: bytes.count) { end in
            let ends = unsafe RecordEndRun(UnsafeBufferPointer(start: end, count: 1))
            return unsafe append(bytes, from: 0, ends: ends, after: result).error
        }
        if let error { throw error }
    }

    /// Appends the bytes of records, from the offset on, that end there, and where it can be helped
    /// none of a part of one.
    ///
    /// Returns how many are in the file, from the first on, and why not all. The first write may have
    /// been made: then its result is given.
    @inline(never)
    mutating func append(
        _ bytes: borrowing ByteBuffer,
        from start: Int,
        ends: RecordEndRun,
        after first: Int? = nil
    ) -> (delivered: Int, error: SinkError?) {
        if first == nil, endsInTornRecord {
            do throws(SinkError) { try endTornLine() } catch { return (0, error) }
        }
        let end = unsafe ends.last ?? start
        var written = start
        var range: Range<Int64>?
        var known = first
        while written < end {
            let file = descriptor.rawValue
            let result =
                unsafe known
                ?? bytes.withRest(from: written, to: end) {
                    unsafe sizeLimit.write(file, $0)
                }
            known = nil
            guard result > 0 else {
                let whole = unsafe ends.upTo(written)
                let torn = unsafe written - (whole.last ?? start)
                if torn > 0 { takeBack(range.map { $0.upperBound - Int64(torn)..<$0.upperBound }) }
                countBytes()
                return unsafe (whole.count, failure(Int32(-result)))
            }
            // Only a short write asks where its bytes are.
            if written > start || result < end - start {
                range = extend(range, by: result, isFirst: written == start)
            }
            written += result
        }
        isTorn = false
        byteCount += end - start
        return unsafe (ends.count, nil)
    }

    /// Returns where our bytes stand, after a write of some more; nil where others lie in between.
    private func extend(_ range: Range<Int64>?, by count: Int, isFirst: Bool) -> Range<Int64>? {
        let end = cwinnow_descriptor_position(descriptor.rawValue)
        let start = end - Int64(count)
        guard start >= 0 else { return nil }
        if isFirst { return start..<end }
        guard let range, range.upperBound == start else { return nil }
        return range.lowerBound..<end
    }

    private mutating func takeBack(_ range: Range<Int64>?) {
        let wasTorn = isTorn
        isTorn = true
        guard let range else { return }
        let status = cwinnow_descriptor_take_back(
            descriptor.rawValue,
            UInt64(range.lowerBound),
            UInt64(range.upperBound)
        )
        if status == 0 { isTorn = wasTorn }
    }

    private mutating func failure(_ error: Int32) -> SinkError {
        if error == ESTALE || error == EBADF {
            let old = giveUp()
            // The program has closed our descriptor; what has the number now is not ours to close.
            if SystemError.isForeign(error) { _ = old.release() }
        }
        return SinkError(systemError: error == 0 ? EIO : error)
    }

    private mutating func needsReopening() -> Bool {
        if let found = FileIdentity(at: path) {
            wasMissing = false
            return found != identity
        }
        let isDeleted = cwinnow_descriptor_links(descriptor.rawValue) == 0
        defer { wasMissing = true }
        return isDeleted || wasMissing
    }

    private static func open(_ path: String, _ mode: UInt32) throws(SinkError) -> OwnedDescriptor {
        // SAFETY: open(2) reads the path, and keeps no pointer to it.
        try OwnedDescriptor(checking: unsafe cwinnow_descriptor_open_append(path, mode))
    }
}
