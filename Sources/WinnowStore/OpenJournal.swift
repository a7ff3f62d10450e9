// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import CWinnow

/// A journal that is open: sd_journal, to be used by the thread that opened it and by no other.
@safe
struct OpenJournal: ~Copyable {
    private let systemd: Systemd
    // SAFETY: the handle is open until `deinit`, and stays in the thread that made it: the type is
    // neither copyable nor Sendable.
    private let handle: OpaquePointer

    /// Opens a journal; to open one of which there is no file is no error yet.
    init(_ store: LogStore) throws(LogStoreError) {
        let systemd = try Systemd.library(store.library)
        let handle = unsafe try Self.open(store, systemd)
        self.systemd = systemd
        unsafe self.handle = handle
    }

    deinit {
        unsafe systemd.functions.pointee.close(handle)
    }

    private static func open(
        _ store: LogStore,
        _ systemd: Systemd
    ) throws(LogStoreError) -> OpaquePointer {
        var opened: OpaquePointer?
        let flags = Int32(CSYSTEMD_LOCAL_ONLY)
        let functions = unsafe systemd.functions.pointee
        // SAFETY: the calls write the one pointer, and copy the text.
        let status =
            switch store.source {
            case .local: unsafe functions.open(&opened, flags)
            case .namespace(let name): unsafe functions.open_namespace(&opened, name, flags)
            case .directory(let path): unsafe functions.open_directory(&opened, path, 0)
            }
        if let opened = unsafe opened, status >= 0 { return unsafe opened }
        guard ![-ENOENT, -EACCES, -EPERM].contains(status) else { throw absence(of: store) }
        throw LogStoreError(.failed, "sd_journal_open", systemError: -status)
    }

    /// Throws where there is no file that may be read.
    func checkFiles(of store: LogStore) throws(LogStoreError) {
        guard hasFiles(store.source) else { throw Self.absence(of: store) }
    }

    private func hasFiles(_ source: LogStore.Source) -> Bool {
        if case .directory(let path) = source { return unsafe csystemd_access(path) == 1 }
        let functions = unsafe systemd.functions.pointee
        // SAFETY: the handle is open.
        return unsafe functions.has_runtime_files(handle) > 0
            || functions.has_persistent_files(handle) > 0
    }

    /// Tells a journal that may not be read from one that is not there.
    private static func absence(of store: LogStore) -> LogStoreError {
        let places =
            if case .directory(let path) = store.source { [path] } else {
                ["/run/log/journal", "/var/log/journal"]
            }
        let isForbidden = places.contains { unsafe csystemd_access($0) == -EACCES }
        var subject = places.joined(separator: " or ")
        if case .namespace(let name) = store.source { subject += " for the namespace '\(name)'" }
        return LogStoreError(isForbidden ? .permissionDenied : .noJournal, subject)
    }

    /// Throws what a function returned, if it is a failure.
    @discardableResult
    private func check(
        _ name: StaticString,
        _ status: Int32
    ) throws(LogStoreError) -> Int32 {
        guard status < 0 else { return status }
        throw LogStoreError(.failed, "sd_journal_\(name)", systemError: -status)
    }
}

extension OpenJournal {
    /// Watches for what is still to come; to be called before the first entry is sought.
    func watch() throws(LogStoreError) {
        try check("get_fd", unsafe systemd.functions.pointee.get_fd(handle))
    }

    func addMatch(_ field: String, _ value: [UInt8]) throws(LogStoreError) {
        let data = Array("\(field)=".utf8) + value
        // SAFETY: the call copies the bytes.
        try check(
            "add_match",
            unsafe systemd.functions.pointee.add_match(handle, data, data.count)
        )
    }

    /// Ends the matches so far: what matches them must match the ones to come as well.
    func addConjunction() throws(LogStoreError) {
        try check("add_conjunction", unsafe systemd.functions.pointee.add_conjunction(handle))
    }

    func seekHead() throws(LogStoreError) {
        try check("seek_head", unsafe systemd.functions.pointee.seek_head(handle))
    }

    func seekTail() throws(LogStoreError) {
        try check("seek_tail", unsafe systemd.functions.pointee.seek_tail(handle))
    }

    func seek(microseconds: UInt64) throws(LogStoreError) {
        let status = unsafe systemd.functions.pointee.seek_realtime_usec(handle, microseconds)
        try check("seek_realtime_usec", status)
    }

    func seek(cursor: String) throws(LogStoreError) {
        let status = unsafe systemd.functions.pointee.seek_cursor(handle, cursor)
        guard status != -EINVAL else { throw LogStoreError(.invalidCursor, cursor) }
        try check("seek_cursor", status)
    }

    /// Goes to the next entry; false where there is none.
    func next() throws(LogStoreError) -> Bool {
        try check("next", unsafe systemd.functions.pointee.next(handle)) > 0
    }

    /// Goes back so many entries, or as many as there are; false where there is none.
    func previous(_ count: UInt64 = 1) throws(LogStoreError) -> Bool {
        let status = unsafe systemd.functions.pointee.previous_skip(handle, count)
        return try check("previous_skip", status) > 0
    }

    /// Whether the current entry is the one with the cursor.
    func isAt(_ cursor: String) throws(LogStoreError) -> Bool {
        let status = unsafe systemd.functions.pointee.test_cursor(handle, cursor)
        // An entry that cannot be read is none that we know.
        guard !Self.isDamage(status) else { return false }
        return try check("test_cursor", status) > 0
    }

    /// The cursor of the current entry; empty where the entry is damaged.
    func cursor() throws(LogStoreError) -> String {
        var text: UnsafeMutablePointer<CChar>?
        // SAFETY: the call makes a terminated string that is ours to free.
        let status = unsafe systemd.functions.pointee.get_cursor(handle, &text)
        guard !Self.isDamage(status) else { return "" }
        try check("get_cursor", status)
        defer { unsafe csystemd_cursor_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// When the journal received the current entry, in microseconds; 0 where it is damaged.
    func receiptTime() throws(LogStoreError) -> UInt64 {
        var microseconds: UInt64 = 0
        let status = unsafe systemd.functions.pointee.get_realtime_usec(handle, &microseconds)
        if !Self.isDamage(status) { try check("get_realtime_usec", status) }
        return microseconds
    }

    /// Waits until there may be new entries, or until the event was signalled.
    func wait(orUntil event: Event) throws(LogStoreError) {
        let functions = unsafe systemd.functions.pointee
        let descriptor = try check("get_fd", unsafe functions.get_fd(handle))
        let events = try check("get_events", unsafe functions.get_events(handle))
        var deadline = UInt64.max
        try check("get_timeout", unsafe functions.get_timeout(handle, &deadline))
        // Only network file systems, which report no changes, have a deadline.
        let now = cwinnow_clock_monotonic() / 1_000
        let rest = deadline == .max ? -1 : Int64(min(deadline - min(now, deadline), 60_000_000))
        event.wait(
            orFor: descriptor,
            events: Int16(truncatingIfNeeded: events),
            nanoseconds: rest < 0 ? -1 : rest * 1_000
        )
        // New files, files that have gone, and entries in those we know: `next` sees them all.
        try check("process", unsafe functions.process(handle))
    }
}

extension OpenJournal {
    /// Has the fields come whole, however large they are.
    func liftDataThreshold() throws(LogStoreError) {
        let status = unsafe systemd.functions.pointee.set_data_threshold(handle, 0)
        try check("set_data_threshold", status)
    }

    /// Copies the current entry, or what can be read of it.
    func entry() throws(LogStoreError) -> LogStore.Entry {
        var copy = EntryCopy()
        unsafe systemd.functions.pointee.restart_data(handle)
        while try copyField(to: &copy) {}
        let cursor = try cursor()
        let microseconds = try receiptTime()
        // What a damaged file says may be more than there are nanoseconds to count.
        let (nanoseconds, isTooMuch) = microseconds.multipliedReportingOverflow(by: 1_000)
        return LogStore.Entry(
            cursor: cursor,
            receiptTimestamp: isTooMuch ? .max : nanoseconds,
            isComplete: copy.isComplete && microseconds > 0 && !cursor.isEmpty,
            storage: copy.storage,
            ranges: copy.ranges
        )
    }

    /// Copies the next field of the current entry; false where there is none left.
    private func copyField(to copy: inout EntryCopy) throws(LogStoreError) -> Bool {
        let functions = unsafe systemd.functions.pointee
        var data: UnsafeRawPointer?
        var size = 0
        var status = unsafe functions.enumerate_data(handle, &data, &size)
        if [-ENOBUFS, -E2BIG, -EPROTONOSUPPORT].contains(status) {
            // One that cannot be unpacked; this call steps over it, and the other does not.
            copy.isComplete = false
            status = unsafe functions.enumerate_available_data(handle, &data, &size)
        }
        guard !Self.isDamage(status) else {
            copy.isComplete = false
            return false
        }
        guard try check("enumerate_data", status) > 0 else { return false }
        // SAFETY: the bytes are the journal's until its next call, and are copied before that.
        unsafe copy.append(UnsafeRawBufferPointer(start: data, count: size))
        return true
    }

    /// Whether an entry cannot be read because its file is damaged, which spoils no other entry.
    private static func isDamage(_ status: Int32) -> Bool {
        status == -EBADMSG || status == -EADDRNOTAVAIL
    }
}

/// The fields of an entry on their way out of the journal.
private struct EntryCopy {
    var storage: [UInt8] = []
    var ranges: [LogStore.FieldRange] = []
    var isComplete = true

    mutating func append(_ field: UnsafeRawBufferPointer) {
        guard let nameCount = unsafe field.firstIndex(of: UInt8(ascii: "=")) else {
            isComplete = false
            return
        }
        let start = storage.count
        unsafe storage.append(contentsOf: field)
        ranges.append(
            LogStore.FieldRange(start: start, nameEnd: start + nameCount, end: storage.count)
        )
    }
}
