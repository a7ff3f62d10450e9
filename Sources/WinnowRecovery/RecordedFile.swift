// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The file of a recorder, as a process has left it: see `CWinnowRecorder.h`.
///
/// It is a copy, so that nobody changes it any more. Any byte may be wrong; what contradicts itself is left out.
package struct RecordedFile: Sendable {
    /// A part of the file that holds one thing.
    package struct Region: Sendable {
        package let kind: Int
        /// Where it lies in the file.
        package let range: Range<Int>
    }

    package let bytes: [UInt8]
    /// Where the process had mapped it.
    private let start: UInt64
    /// The process, as it knew itself.
    package let processID: Int32
    /// The identity of the run; nil where the process had not logged.
    package let run: UInt32?
    /// When it began to record, in nanoseconds since 1970.
    package let began: UInt64
    /// The bytes that the file had when it was made.
    package let byteCount: UInt64
    /// The name of the program in the log.
    package let identifier: String
    package let regions: [Region]
    /// The names of the categories, by the addresses of their cells.
    package let categories: [UInt64: String]
    /// What the process had loaded, the last first: what is loaded later may lie where another has lain.
    package let images: [RecordedImage]

    /// Reads a file.
    ///
    /// - Returns: Nil if it is none, or one of another version.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: CWINNOW_RECORDER_MAGIC.utf8),
            bytes.count >= Int(cwinnow_recorder_regions_offset),
            bytes.number(\cwinnow_recorder_header.version, at: 0) == CWINNOW_RECORDER_VERSION
        else { return nil }
        self.bytes = bytes
        start = bytes.number(\cwinnow_recorder_header.address, at: 0)
        processID = bytes.number(\cwinnow_recorder_header.process_id, at: 0)
        let run: UInt32 = bytes.number(\cwinnow_recorder_header.run, at: 0)
        self.run = run == 0 ? nil : run
        began = bytes.number(\cwinnow_recorder_header.began, at: 0)
        byteCount = bytes.number(\cwinnow_recorder_header.byte_count, at: 0)
        identifier = Self.identifier(in: bytes)
        regions = Self.regions(in: bytes)
        var facts = RecordedFacts()
        for region in regions
        where region.kind == cwinnow_region_facts
            && region.range.count == Int(cwinnow_recorder_facts_byte_count)
        {
            facts.read(bytes, in: region.range)
        }
        categories = facts.categories
        images = facts.images.reversed()
    }

    /// The identifier in a header.
    static func identifier(in header: [UInt8]) -> String {
        let length: UInt32 = header.number(\cwinnow_recorder_header.identifier_length, at: 0)
        let start = MemoryLayout<cwinnow_recorder_header>.offset(of: \.identifier) ?? 0
        let room = header[start...].prefix(Int(cwinnow_recorder_identifier_capacity))
        return String(decoding: room.prefix(Int(clamping: length)), as: UTF8.self)
    }

    /// Whether some sink has got some of the records already.
    package var isPartlyRecovered: Bool {
        let state = Int(cwinnow_recorder_state_offset)
        return (0..<Int(cwinnow_recorder_recovered_capacity)).contains { index in
            bytes.number(\cwinnow_recorder_state.recovered.0, at: state + 8 * index) != 0 as UInt64
        }
    }

    /// The address that a place had in the process.
    func address(of place: Int) -> UInt64 { start &+ UInt64(place) }

    /// The last numbers that the process had given to records: of each level, and of all.
    var numbers: [UInt64] {
        (0..<Int(cwinnow_numbers_count)).map {
            bytes.integer(at: Int(cwinnow_recorder_numbers_offset) + 8 * $0)
        }
    }

    private static func regions(in bytes: [UInt8]) -> [Region] {
        let stride = MemoryLayout<cwinnow_recorder_region>.stride
        let regions = (0..<Int(cwinnow_recorder_region_capacity)).compactMap { index -> Region? in
            let place = Int(cwinnow_recorder_table_offset) + index * stride
            let kind: UInt32 = bytes.number(\cwinnow_recorder_region.kind, at: place)
            let offset: UInt64 = bytes.number(\cwinnow_recorder_region.offset, at: place)
            let count: UInt64 = bytes.number(\cwinnow_recorder_region.byte_count, at: place)
            let (start, size) = (Int(clamping: offset), Int(clamping: count))
            let unit = Int(cwinnow_recorder_unit)
            guard kind != cwinnow_region_free, start % unit == 0, size % unit == 0, size > 0,
                start >= Int(cwinnow_recorder_regions_offset), start <= bytes.count,
                size <= bytes.count - start
            else { return nil }
            return Region(kind: Int(kind), range: start..<start + size)
        }
        // None twice, whatever the table says: the work is no more than the file is large.
        var end = 0
        return regions.sorted { $0.range.lowerBound < $1.range.lowerBound }.filter { region in
            guard region.range.lowerBound >= end else { return false }
            end = region.range.upperBound
            return true
        }
    }
}

/// What is known of the process.
private struct RecordedFacts {
    /// The most categories that are read: more than a program has, and fewer than fill the memory.
    private static let greatestCategoryCount = 65_536

    var categories: [UInt64: String] = [:]
    var images: [RecordedImage] = []

    /// Reads the facts of a region, up to the first that is damaged, or is none.
    mutating func read(_ bytes: [UInt8], in region: Range<Int>) {
        let head = MemoryLayout<cwinnow_recorder_fact>.size
        var place = region.lowerBound
        while place + head <= region.upperBound {
            let kind: UInt32 = bytes.number(\cwinnow_recorder_fact.kind, at: place)
            let count: UInt32 = bytes.number(\cwinnow_recorder_fact.byte_count, at: place)
            let start = place + head
            guard kind != 0, Int(count) <= region.upperBound - start else { return }
            read(kind, bytes[start..<start + Int(count)])
            place = start + (Int(count) + 7) & ~7
        }
    }

    private mutating func read(_ kind: UInt32, _ fact: ArraySlice<UInt8>) {
        switch Int(kind) {
        case cwinnow_recorder_category
        where fact.count >= 8 && categories.count < Self.greatestCategoryCount:
            let address: UInt64 = fact.integer(at: fact.startIndex)
            categories[address] = String(decoding: fact.dropFirst(8), as: UTF8.self)
        case cwinnow_recorder_loaded where images.count < Int(cwinnow_recorder_image_capacity):
            if let image = RecordedImage(fact) { images.append(image) }
        default: break
        }
    }
}
