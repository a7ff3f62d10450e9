// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The file of a process that is dead, which nobody else recovers meanwhile.
@safe
package final class DeadFile: @unchecked Sendable {
    // SAFETY: the state is mapped as long as this is there, and one thread at a time uses it.

    /// Why a file is not recovered.
    package enum Refusal: Error, Equatable {
        /// Its process lives, or another one recovers it.
        case inUse
        /// It belongs to another user, or is no regular file.
        case foreign
        /// It is not what a recorder of this version has written.
        case unreadable
        /// It was begun, and never finished; it has been removed if its process must be dead by now.
        case unfinished(isRemoved: Bool)
        /// It has been removed meanwhile, as by who has recovered it.
        case gone
        /// It cannot be opened, with the errno value.
        case failed(Int32)
    }

    /// The most bytes that are read.
    static let greatestByteCount: UInt64 = 1 << 30

    /// How long a process may take to begin a file, in nanoseconds.
    private static let youth: UInt64 = 10_000_000_000

    package let name: String
    package let content: RecordedFile
    private let folder: Int32
    private let state: UnsafeMutablePointer<cwinnow_recorder_state>

    /// Takes a file.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - folder: The descriptor of its folder, which stays open as long as this is there.
    /// - Throws: Why it is not recovered.
    package init(_ name: String, in folder: Int32) throws(Refusal) {
        var facts = cwinnow_file_facts()
        let file = unsafe cwinnow_recorded_open(folder, name, &facts)
        guard file >= 0 else { throw Self.refusal(for: -file) }
        defer { _ = cwinnow_descriptor_close(file) }
        guard facts.byte_count <= Self.greatestByteCount,
            let bytes = Self.read(file, Int(facts.byte_count))
        else { throw .unreadable }
        // Its process has died before it was whole, and had not logged; unless it lives, and is about to take the lock.
        if bytes.prefix(CWINNOW_RECORDER_MAGIC.utf8.count).allSatisfy({ $0 == 0 }) {
            let isOld = cwinnow_clock_realtime() &- facts.modified > Self.youth
            if isOld { _ = unsafe cwinnow_folder_remove(folder, name) }
            throw .unfinished(isRemoved: isOld)
        }
        guard let content = RecordedFile(bytes) else { throw .unreadable }
        guard let state = unsafe cwinnow_recorded_hold(file) else { throw .failed(ENOMEM) }
        self.name = name
        self.folder = folder
        self.content = content
        unsafe self.state = unsafe state
    }

    deinit {
        unsafe cwinnow_recorded_release(state)
    }

    /// Removes the file, of which nothing is left to recover.
    package func remove() {
        _ = unsafe cwinnow_folder_remove(folder, name)
    }

    /// How many of the records, in their order, a sink has by now.
    package func recoveredCount(of sink: String) -> Int {
        guard let index = index(of: sink) else { return 0 }
        return Int(unsafe cwinnow_recorded_word(state, index) & 0xFFFF_FFFF)
    }

    /// Notes how many of the records a sink has.
    package func setRecoveredCount(_ count: Int, of sink: String) {
        // Without a place for one sink more, it gets the records again if this process dies before it has all.
        guard let index = index(of: sink) ?? freeIndex else { return }
        let word = UInt64(Self.mark(of: sink)) &<< 32 | UInt64(UInt32(clamping: count))
        unsafe cwinnow_recorded_set_word(state, index, word)
    }

    private func index(of sink: String) -> UInt32? {
        let mark = UInt64(Self.mark(of: sink))
        return indices.first { unsafe cwinnow_recorded_word(state, $0) &>> 32 == mark }
    }

    private var freeIndex: UInt32? {
        indices.first { unsafe cwinnow_recorded_word(state, $0) == 0 }
    }

    private var indices: Range<UInt32> { 0..<UInt32(cwinnow_recorder_recovered_capacity) }

    /// What tells a sink from others in the file: the FNV-1a hash of its name, never 0.
    private static func mark(of sink: String) -> UInt32 {
        let hash = sink.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return max(hash, 1)
    }

    private static func refusal(for error: Int32) -> Refusal {
        switch error {
        case EWOULDBLOCK: .inUse
        case ENOENT: .gone
        case EPERM, ELOOP, EACCES: .foreign
        default: .failed(error)
        }
    }

    /// Reads so many bytes from the beginning; nil where they are not all there.
    static func read(_ file: Int32, _ count: Int) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            // SAFETY: the call writes at most `count` bytes, which the buffer has room for.
            filled = max(0, Int(unsafe cwinnow_file_read(file, 0, start, count)))
        }
        return bytes.count == count ? bytes : nil
    }
}
