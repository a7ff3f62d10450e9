// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The ring of a thread, or of its calls within calls, as a process has left it: see `cwinnow_ring`.
struct RecordedRing {
    /// A record in the ring.
    struct Place {
        /// Where in the file the header of its call begins, and where its arguments lie, or what stands for them.
        let call: Int
        let arguments: Range<Int>
        let level: Int
        let stamp: UInt64
        /// The address of the message that holds the arguments, which was in no file; nil where they are in the ring.
        let message: UInt64?
        /// Whether the worker had taken it out, so that it may have a number.
        let isTaken: Bool
    }

    /// The kernel's number of the thread.
    let thread: Int32
    /// What waits, oldest first.
    let places: [Place]
    /// How many records of each level found no room and are in no account, by its raw value.
    let lost: [UInt64]
    /// When the last of them was lost, in nanoseconds since 1970.
    let lostUntil: UInt64
    /// The bytes of what waited and is damaged.
    let damagedByteCount: Int

    /// Reads a region of a file; nil where it is no ring.
    init?(_ region: RecordedFile.Region, in file: RecordedFile) {
        let isNested = region.kind == cwinnow_region_nested_ring
        let start = region.range.lowerBound
        let base = start + Int(CWINNOW_RING_STRUCTURE_BYTES)
        guard isNested || region.kind == cwinnow_region_ring, base < region.range.upperBound,
            (region.range.upperBound - base).nonzeroBitCount == 1
        else { return nil }
        func number(_ field: KeyPath<cwinnow_ring, UInt64>) -> UInt64 {
            unsafe file.bytes.number(field, at: start)
        }
        thread = unsafe file.bytes.number(\cwinnow_ring.thread, at: start)
        lost = (0..<8).map { level in
            let lost = unsafe file.bytes.number(\cwinnow_ring.lost.0, at: start + 8 * level)
            let told = unsafe file.bytes.number(\cwinnow_ring.told.0, at: start + 8 * level)
            return lost > told ? min(lost - told, UInt64(UInt32.max)) : 0
        }
        lostUntil = unsafe number(\.lost_until)
        var walk = RingWalk(
            file: file,
            storage: base..<region.range.upperBound,
            isNested: isNested,
            position: unsafe number(\.read),
            taken: unsafe number(\.taken),
            end: unsafe number(\.published)
        )
        places = walk.places()
        damagedByteCount = walk.damagedByteCount
    }
}

/// Goes through the records of a ring.
private struct RingWalk {
    let file: RecordedFile
    let storage: Range<Int>
    let isNested: Bool
    var position: UInt64
    let taken: UInt64
    let end: UInt64
    /// The bytes that are in no record.
    var damagedByteCount = 0

    private static let unit: UInt64 = 8
    private var latest: UInt64 = 0
    private var isLost = false

    init(
        file: RecordedFile,
        storage: Range<Int>,
        isNested: Bool,
        position: UInt64,
        taken: UInt64,
        end: UInt64
    ) {
        self.file = file
        self.storage = storage
        self.isNested = isNested
        self.position = position
        self.taken = taken
        self.end = end
    }

    /// Returns where the records lie.
    ///
    /// Where something is damaged, it goes on with the next that has the header of a record, and a stamp that none in
    /// front of it has passed: in the end of the storage, which a filler would skip, lies what was there in the lap before.
    mutating func places() -> [RecordedRing.Place] {
        guard position % Self.unit == 0, end % Self.unit == 0, end >= position,
            end - position <= UInt64(storage.count)
        else {
            // Where they lie is not known any more.
            damagedByteCount = storage.count
            return []
        }
        var places: [RecordedRing.Place] = []
        while position < end {
            guard let piece = piece() else {
                isLost = true
                damagedByteCount += Int(Self.unit)
                position += Self.unit
                continue
            }
            if let place = piece.place {
                places.append(place)
                latest = max(latest, place.stamp)
                isLost = false
            }
            position += UInt64(piece.byteCount)
        }
        return places
    }

    /// The piece at the position, and its record, which a filler has none of; nil where there is none.
    private func piece() -> (byteCount: Int, place: RecordedRing.Place?)? {
        let offset = Int(position % UInt64(storage.count))
        let rest = storage.count - offset
        let most = min(UInt64(rest), end - position)
        let call = storage.lowerBound + offset
        let word: UInt64 = file.bytes.integer(at: call)
        let size = word & UInt64(CWINNOW_RING_SIZE)
        guard size % Self.unit == 0, size > 0, size <= most else { return nil }
        if word & UInt64(CWINNOW_RING_FILLER) != 0 {
            return size == UInt64(rest) ? (rest, nil) : nil
        }
        return place(at: call, Int(size), isApart: word & UInt64(CWINNOW_RING_APART) != 0).map {
            (Int(size), $0)
        }
    }

    private func place(at call: Int, _ size: Int, isApart: Bool) -> RecordedRing.Place? {
        let body = CallHeader.byteCount + (isNested ? 8 : 0)
        guard size > body, let header = RecordedHeader(at: call, in: file) else { return nil }
        let arguments = call + body..<call + size
        if isApart, arguments.count != 16 { return nil }
        let stamp: UInt64 = file.bytes.integer(at: call + 8)
        guard !isLost || stamp >= latest else { return nil }
        return RecordedRing.Place(
            call: call,
            arguments: arguments,
            level: header.level,
            stamp: stamp,
            message: isApart ? file.bytes.integer(at: arguments.lowerBound) : nil,
            isTaken: position < taken
        )
    }
}
