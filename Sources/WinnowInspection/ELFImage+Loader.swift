// SPDX-License-Identifier: Apache-2.0

/// The bytes of the name of a library that are read at most: NAME_MAX.
private let longestLibrary = 255

/// The bytes of a list of folders that are read at most: PATH_MAX, some times.
private let longestFolders = 65_536

extension ELFImage {
    /// The kinds of entry of the section that the loader reads: elf(5), "Dyn".
    private enum Entry {
        static var needed: Int64 { 1 }
        static var folders: Int64 { 15 }
        static var laterFolders: Int64 { 29 }
    }

    /// The shared libraries that the program is linked with, by the names that it asks for.
    func neededLibraries() throws(InspectionProblem) -> [String] {
        try loaderTexts([Entry.needed], limit: longestLibrary)
    }

    /// The folders in which the loader looks for them: DT_RPATH and DT_RUNPATH, in their order.
    func libraryFolders() throws(InspectionProblem) -> [String] {
        try loaderTexts([Entry.folders, Entry.laterFolders], limit: longestFolders).flatMap {
            $0.split(separator: ":").map(String.init)
        }
    }

    /// The texts of the entries of some kinds, each up to so many bytes.
    private func loaderTexts(
        _ kinds: [Int64],
        limit: Int
    ) throws(InspectionProblem) -> [String] {
        guard let dynamic = sections.first(where: { $0.kind == Section.Kind.dynamic }),
            sections.indices.contains(Int(dynamic.link))
        else { return [] }
        let names = try bytes(of: sections[Int(dynamic.link)])
        let entries = try bytes(of: dynamic)
        return stride(from: 0, to: entries.count - entries.count % 16, by: 16).compactMap {
            guard kinds.contains(entries.integer(at: $0)),
                let offset = Int(exactly: entries.integer(at: $0 + 8, as: UInt64.self))
            else { return nil }
            return names.text(at: offset, limit: limit)
        }
    }
}
