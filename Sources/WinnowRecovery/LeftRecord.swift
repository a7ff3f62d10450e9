// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// A record that a process has left: where it lies in the file, and what is known of it besides.
package struct LeftRecord: Sendable {
    /// Where it lies.
    enum Place: Sendable {
        /// Header and arguments, as they waited for a sink.
        case queue(Range<Int>)
        /// The header of the call, and the arguments.
        case ring(call: Int, arguments: Range<Int>)
        /// The header of the call; the arguments were in no file, and had so many bytes.
        case apart(call: Int, byteCount: UInt64)
    }

    let place: Place
    /// The name of the sink that it waited for; nil where it is for all.
    package let sink: String?
    /// The raw value of its level.
    package let level: UInt8
    /// Its number, and the one among those of its level; 0 for what Winnow itself had to say.
    package private(set) var sequence: UInt64
    private(set) var levelSequence: UInt64
    /// When it was logged, in nanoseconds since 1970.
    package let time: UInt64
    let thread: Int32
    /// Whether it had a number, or was about to get one, so that sinks may have it.
    package let isInDoubt: Bool

    /// One that waited for a sink.
    init(at place: Range<Int>, for sink: String, in file: RecordedFile) {
        func word(_ offset: Int) -> UInt64 { file.bytes.integer(at: place.lowerBound + offset) }
        self.place = .queue(place)
        self.sink = sink
        isInDoubt = false
        sequence = word(0)
        levelSequence = word(8)
        thread = file.bytes.integer(at: place.lowerBound + 16)
        time = word(RecordHeader.callOffset + 8)
        level = UInt8(truncatingIfNeeded: word(RecordHeader.callOffset + 40) & 7)
    }

    /// One that lay in a ring.
    init(
        _ place: RecordedRing.Place,
        of thread: Int32,
        at time: UInt64,
        _ claim: RecordedClaims.Claim?,
        in file: RecordedFile
    ) {
        if place.message != nil {
            let byteCount: UInt64 = file.bytes.integer(at: place.arguments.lowerBound + 8)
            self.place = .apart(call: place.call, byteCount: byteCount)
        } else {
            self.place = .ring(call: place.call, arguments: place.arguments)
        }
        sink = nil
        isInDoubt = claim != nil
        level = UInt8(truncatingIfNeeded: place.level)
        sequence = claim?.sequence ?? 0
        levelSequence = claim?.levelSequence ?? 0
        self.time = time
        self.thread = thread
    }

    /// Whether its message was in no file.
    package var isApart: Bool {
        if case .apart = place { true } else { false }
    }

    /// Gives it its numbers.
    mutating func number(_ sequence: UInt64, _ levelSequence: UInt64) {
        self.sequence = sequence
        self.levelSequence = levelSequence
    }
}
