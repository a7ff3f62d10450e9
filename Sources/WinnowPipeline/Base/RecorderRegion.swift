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

    /// Takes a ring of so many bytes for a thread, or for its calls within calls; nil where the file has no room.
    static func takeRing(
        _ byteCount: UInt64,
        isNested: Bool
    ) -> UnsafeMutablePointer<cwinnow_ring>? {
        let kind = UInt32(isNested ? cwinnow_region_nested_ring : cwinnow_region_ring)
        let whole = UInt64(CWINNOW_RING_STRUCTURE_BYTES) + byteCount
        let region = unsafe locked { unsafe cwinnow_recorder_take(kind, whole) }
        guard let region = unsafe region ?? nil else { return nil }
        return unsafe cwinnow_ring_make_in(region, byteCount)
    }

    /// Gives the memory of a ring back that nobody uses.
    static func free(_ ring: UnsafeMutablePointer<cwinnow_ring>) {
        let isGivenBack = locked { unsafe cwinnow_recorder_give_back(ring) }
        if isGivenBack == false { unsafe cwinnow_ring_free(ring) }
    }

    /// Takes a region for places of records with so many bytes; nil where there is none.
    static func takeClaimed(_ byteCount: Int) -> UnsafeMutablePointer<cwinnow_recorder_claimed>? {
        let whole = UInt64(cwinnow_recorder_unit) + UInt64(byteCount)
        let kind = UInt32(cwinnow_region_claimed)
        let region = unsafe locked { unsafe cwinnow_recorder_take(kind, whole) }
        return unsafe (region ?? nil)?.assumingMemoryBound(to: cwinnow_recorder_claimed.self)
    }

    /// How many bytes there are still for others.
    static var room: UInt64 { locked { cwinnow_recorder_room() } ?? 0 }

    /// Notes a category; with what the program has loaded since the last one, as its statements may be there.
    static func note(_ cell: UnsafePointer<cwinnow_cell>, _ name: String) {
        guard cwinnow_recorder_number() != 0 else { return }
        var name = name
        name.withUTF8 { bytes in
            _ = locked {
                unsafe cwinnow_recorder_note_category(cell, bytes.baseAddress, bytes.count)
            }
        }
        noteImages()
    }

    /// Notes the program and what it has loaded.
    static func noteImages() {
        guard cwinnow_recorder_number() != 0 else { return }
        _ = locked { cwinnow_recorder_note_images() }
    }

    /// Ends the recording, and removes the file.
    static func end() {
        _ = locked { cwinnow_recorder_end() }
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
