// SPDX-License-Identifier: Apache-2.0

extension ELFImage {
    /// The versions that Winnow's own notes give, normally one; nil in the place of one that is
    /// damaged.
    ///
    /// Without section headers the notes are found by the program headers.
    ///
    /// Source: elf(5), "Notes (Nhdr)".
    func winnowNotes() throws(InspectionProblem) -> [UInt32?] {
        var versions: [UInt32?] = []
        if sections.isEmpty {
            for segment in segments where segment.kind == Segment.note {
                let bytes = try source.bytes(
                    at: segment.offset,
                    count: segment.fileSize,
                    of: "a segment of notes"
                )
                versions += Self.winnowNotes(in: bytes)
            }
        } else {
            for section in sections where section.kind == Section.Kind.note {
                versions += Self.winnowNotes(in: try bytes(of: section))
            }
        }
        return versions
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

    /// The shared libraries that the program is linked with, by the names that it asks for.
    func neededLibraries() throws(InspectionProblem) -> [String] {
        guard let dynamic = sections.first(where: { $0.kind == Section.Kind.dynamic }),
            sections.indices.contains(Int(dynamic.link))
        else { return [] }
        let names = try bytes(of: sections[Int(dynamic.link)])
        let entries = try bytes(of: dynamic)
        return stride(from: 0, to: entries.count - entries.count % 16, by: 16).compactMap {
            // DT_NEEDED
            guard entries.integer(at: $0, as: Int64.self) == 1,
                let offset = Int(exactly: entries.integer(at: $0 + 8, as: UInt64.self))
            else { return nil }
            return names.text(at: offset)
        }
    }
}
