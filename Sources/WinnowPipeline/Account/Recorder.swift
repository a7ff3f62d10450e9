// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// The recorder: a file in memory in which what was accepted outlives the process, see `CWinnowRecorder.h`.
///
/// The process begins to record before it gives the first number, and so does a child of its. MT-Safe, AS-Unsafe.
package enum Recorder {
    /// What is recorded, and where.
    package struct Settings: Sendable {
        let folder: String
        let byteCount: UInt64
        let identifier: String

        /// - Parameters:
        ///   - folder: A folder on a tmpfs.
        ///   - byteCount: The size of the file.
        ///   - identifier: The name of the program in the log.
        package init(folder: String, byteCount: UInt64, identifier: String) {
            self.folder = folder
            self.byteCount = byteCount
            self.identifier = identifier
        }
    }

    /// What the lock guards, which a thread holds while it begins.
    private final class State: @unchecked Sendable {
        // SAFETY: every access to the settings holds the lock.
        let lock = Lock(.recorder)
        var settings: Settings?
    }

    private static let state = State()

    /// The lock that guards it, for fork(2).
    static var lock: Lock { state.lock }
    /// Whether a child of a fork is to begin before its first record.
    private static let isAwaited = Atomic<Bool>(false)

    /// Begins to record: before the first configuration is in use, by one thread.
    ///
    /// - Returns: Nil, or why the process does not record.
    package static func begin(_ settings: Settings) -> String? {
        state.lock.withLock {
            if let reason = make(settings) { return reason }
            state.settings = settings
            cwinnow_recorder_mask()
            return nil
        }
    }

    /// What is done when a child of a fork has begun to record: set at the start of its parent's log.
    // SAFETY: set by one thread, before there is a child.
    package nonisolated(unsafe) static var whenBegunInChild: (@Sendable () -> Void)?

    /// Whether this process records.
    package static var isOn: Bool { cwinnow_recorder_number() != 0 }

    /// Begins to record in the child of a fork whose parent does, or did when it forked: before its first number.
    static func beginInChild() {
        guard isAwaited.load(ordering: .acquiring) else { return }
        let reason: String? = state.lock.withLock {
            guard isAwaited.load(ordering: .relaxed), let settings = state.settings else {
                return nil
            }
            defer { isAwaited.store(false, ordering: .releasing) }
            return make(settings)
        }
        if isOn { unsafe whenBegunInChild?() }
        if let reason { LastWords.say("the child of a fork does not record: \(reason)") }
    }

    /// Ends the recording, as nothing is left that somebody would have to recover.
    static func end() {
        guard isOn else { return }
        RecorderRegion.end()
    }

    /// Has the child of a fork record in a file of its own, from its first record on.
    static func forgetParent() {
        state.lock.reset()
        if isOn { isAwaited.store(true, ordering: .releasing) }
        unsafe claimed = nil
        RecorderRegion.forgetParent()
    }

    /// Has this process never record again: a child that nobody was told of.
    static func leave() {
        isAwaited.store(false, ordering: .releasing)
    }

    /// The places of the records that the worker takes, in the file; nil where the process does not record.
    // SAFETY: written where the process begins to record, before there is a worker.
    private(set) nonisolated(unsafe) static var claimed:
        UnsafeMutablePointer<cwinnow_recorder_claimed>?

    /// Makes the file; returns why there is none.
    private static func make(_ settings: Settings) -> String? {
        cwinnow_stamp_prepare()
        var header = cwinnow_recorder_header()
        header.identifier_length = unsafe ControlText.copy(
            settings.identifier,
            to: cwinnow_recorder_identifier(&header),
            capacity: cwinnow_recorder_identifier_capacity
        )
        let now = cwinnow_clock_realtime()
        let name = name(of: settings.identifier, at: now)
        let outcome = unsafe cwinnow_recorder_begin(
            settings.folder,
            name,
            &header,
            settings.byteCount
        )
        guard outcome == 0 else { return reason(for: outcome, settings) }
        let byteCount = unsafe HeldRecords.capacity * MemoryLayout<RingRecord>.stride
        unsafe claimed = unsafe RecorderRegion.takeClaimed(byteCount)
        cwinnow_recorder_set_run(RunIdentity.number)
        Categories.noteAllForRecorder()
        RecorderRegion.noteImages()
        StampClock().show()
        return nil
    }

    /// A name that no other process has at a time: the identifier, as far as it may be one, the process and the time.
    private static func name(of identifier: String, at now: UInt64) -> String {
        "\(beginning(of: identifier))\(cwinnow_process_id_find()).\(now)\(CWINNOW_RECORDER_SUFFIX)"
    }

    /// What the name of a file of an identifier begins with.
    package static func beginning(of identifier: String) -> String {
        let bytes = identifier.utf8.prefix(64).map { byte in
            let isPlain =
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_".utf8.contains(byte)
            return isPlain ? byte : UInt8(ascii: "_")
        }
        return String(decoding: bytes, as: UTF8.self) + "."
    }

    private static func reason(for outcome: Int32, _ settings: Settings) -> String {
        let folder = quoted(settings.folder)
        if outcome == CWINNOW_RECORDER_NO_MEMORY {
            return "\(folder) does not lie on a tmpfs; elsewhere a full disk would end the process"
        }
        if outcome == -ENOSPC {
            return "\(folder) has no room for \(settings.byteCount) bytes"
        }
        return "\(folder): \(systemErrorText(-outcome))"
    }
}
