// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A program or a library that a process had loaded: where its literals lay, and in which file they lie.
package struct RecordedImage: Sendable {
    /// A part of the file.
    package struct Segment: Sendable {
        /// Where it lay in the memory of the process.
        package let addresses: Range<UInt64>
        /// Where it lies in the file.
        let offset: UInt64
    }

    /// What tells the file from another that has its path by now; empty for none.
    let buildID: [UInt8]
    let buildIDOffset: UInt64
    /// What does where there is no build id: its bytes, and when it was changed last, in nanoseconds since 1970.
    let byteCount: UInt64
    let modified: UInt64
    package let segments: [Segment]
    package let path: String

    /// Reads a fact; nil where it is damaged.
    init?(_ fact: ArraySlice<UInt8>) {
        typealias Image = cwinnow_recorder_image
        let start = fact.startIndex
        let most = MemoryLayout<Image>.size + Int(cwinnow_recorder_path_capacity)
        guard fact.count > MemoryLayout<Image>.size, fact.count <= most else { return nil }
        byteCount = fact.number(\Image.file_byte_count, at: start)
        modified = fact.number(\Image.modified, at: start)
        buildIDOffset = fact.number(\Image.build_id_offset, at: start)
        let length: UInt32 = fact.number(\Image.build_id_length, at: start)
        let count: UInt32 = fact.number(\Image.segment_count, at: start)
        guard length <= cwinnow_recorder_build_id_capacity,
            count <= cwinnow_recorder_segment_capacity,
            let place = MemoryLayout<Image>.offset(of: \.build_id),
            let first = MemoryLayout<Image>.offset(of: \.segments)
        else { return nil }
        buildID = Array(fact[(start + place)...].prefix(Int(length)))
        segments = (0..<Int(count)).compactMap { index in
            Segment(fact, at: start + first + index * MemoryLayout<cwinnow_recorder_segment>.stride)
        }
        path = String(decoding: fact.dropFirst(MemoryLayout<Image>.size), as: UTF8.self)
    }
}

extension RecordedImage.Segment {
    fileprivate init?(_ fact: ArraySlice<UInt8>, at place: Int) {
        let start: UInt64 = fact.number(\cwinnow_recorder_segment.start, at: place)
        let end: UInt64 = fact.number(\cwinnow_recorder_segment.end, at: place)
        guard start < end else { return nil }
        addresses = start..<end
        offset = fact.number(\cwinnow_recorder_segment.offset, at: place)
    }
}
