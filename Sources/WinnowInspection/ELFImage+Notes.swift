// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The bytes of all notes that are read at most: many sections may be said to lie in one place.
private let greatestNotes: UInt64 = 64 << 20

extension ELFImage {
    /// The versions that Winnow's own notes give, normally one; nil in the place of one that is
    /// damaged.
    ///
    /// Without section headers the notes are found by the program headers.
    ///
    /// Source: elf(5), "Notes (Nhdr)".
    func winnowNotes() throws(InspectionProblem) -> [UInt32?] {
        var versions: [UInt32?] = []
        var left = greatestNotes
        for note in notes {
            let bytes = try source.bytes(
                at: note.offset,
                count: note.size,
                of: note.part,
                limit: left
            )
            left -= note.size
            versions += Self.winnowNotes(in: bytes)
        }
        return versions
    }

    /// The parts of the file that hold notes.
    private var notes: [(part: String, offset: UInt64, size: UInt64)] {
        guard sections.isEmpty else {
            return sections.filter { $0.kind == Section.Kind.note }
                .map { ("the section \($0.name)", $0.offset, $0.size) }
        }
        return segments.filter { $0.kind == Segment.note }
            .map { ("a segment of notes", $0.offset, $0.fileSize) }
    }

    private static func winnowNotes(in bytes: [UInt8]) -> [UInt32?] {
        var versions: [UInt32?] = []
        var position = 0
        while position + 12 <= bytes.count {
            let nameSize = Int(bytes.integer(at: position, as: UInt32.self))
            let size = Int(bytes.integer(at: position + 4, as: UInt32.self))
            let type: UInt32 = bytes.integer(at: position + 8)
            let name = position + 12
            let content = name + (nameSize + 3) & ~3
            position = content + (size + 3) & ~3
            guard content <= bytes.count else { break }
            guard nameSize == 7, bytes[name..<name + 7].elementsEqual("Winnow\0".utf8), type == 1
            else { continue }
            versions.append(
                size >= 4 && content + 4 <= bytes.count ? bytes.integer(at: content) : nil
            )
        }
        return versions
    }

    /// Whether Winnow is in the program, and with it a table.
    var holdsWinnow: Bool {
        get throws(InspectionProblem) {
            if sections.contains(where: { $0.name == CWINNOW_STATEMENTS_SECTION }) { return true }
            return try !winnowNotes().isEmpty
        }
    }
}
