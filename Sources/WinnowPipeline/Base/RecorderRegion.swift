// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The regions of the recorder's file: see `CWinnowRecorder.h`.
///
/// MT-Safe, AS-Unsafe.
enum RecorderRegion {
    private static let lock = Lock(.leaf)

    /// Takes a region for a queue that has memory of so many bytes; nil where the process does not record, or the file
    /// has no room.
    static func takeQueue(
        _ byteCount: UInt64,
        name: String
    ) -> UnsafeMutablePointer<cwinnow_recorder_queue>? {
        guard cwinnow_recorder_number() != 0 else { return nil }
        let kind = UInt32(cwinnow_region_queue)
        let region = unsafe locked {
            unsafe cwinnow_recorder_take(kind, UInt64(cwinnow_recorder_unit) + byteCount)
        }
        guard let region = unsafe region ?? nil else { return nil }
        let queue = unsafe region.assumingMemoryBound(to: cwinnow_recorder_queue.self)
        unsafe queue.pointee.name_length = ControlText.copy(
            name,
            to: cwinnow_recorder_name_of_queue(queue),
            capacity: cwinnow_recorder_path_capacity
        )
        return unsafe queue
    }

    /// The memory of a queue.
    static func memory(
        of queue: UnsafeMutablePointer<cwinnow_recorder_queue>
    ) -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(queue) + Int(cwinnow_recorder_unit)
    }

    /// Gives a queue's region back, which has memory of so many bytes.
    static func giveBack(
        _ queue: UnsafeMutablePointer<cwinnow_recorder_queue>,
        byteCount: UInt64
    ) {
        let isGivenBack = locked { unsafe cwinnow_recorder_give_back(queue) }
        // In the child of a fork that has a file of its own by now: the memory is this queue's alone.
        if isGivenBack == false {
            unsafe cwinnow_memory_free(queue, UInt64(cwinnow_recorder_unit) + byteCount)
        }
    }

    /// Returns what the body returns; nil where the lock is held for long, as by a thread that has crashed.
    private static func locked<Result>(_ body: () -> Result) -> Result? {
        guard lock.acquire(within: Bounds.politeness) else { return nil }
        defer { lock.release() }
        return body()
    }

    /// Initializes what the child of a fork uses.
    static func prepareForFork() { lock.withLock {} }

    /// Gives the child of a fork memory of its own.
    static func forgetParent() {
        lock.reset()
        cwinnow_recorder_forget_parent()
    }
}
