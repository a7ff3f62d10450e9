// SPDX-License-Identifier: Apache-2.0

/// A program together with the shared libraries that it brings along: a log statement may be in any.
///
/// A library is looked for in the folders that the program, or the library that needs it, names to the
/// loader. What it finds in folders of its own is the system's, and has no log statements of Winnow.
///
/// Source: ld.so(8), elf(5).
package struct LinkedProgram: Sendable {
    /// The libraries with log statements of their own, by their paths, in the order in which they were
    /// found.
    package let libraries: [String]
    /// The statements of the program and of those libraries.
    package let table: StatementTable

    /// More libraries than any program has; each costs an open file for a moment.
    private static let greatestLibraryCount = 4_096

    /// Reads the tables of a program and of its libraries.
    ///
    /// - Parameter path: The path of the program.
    /// - Throws: `InspectionProblem` where nothing can be told of one of them: see ``StatementTable``.
    package init(path: String) throws(InspectionProblem) {
        let program = try ELFImage(try ProgramFile(path: path))
        var found: [(path: String, image: ELFImage<ProgramFile>)] = []
        var seen: Set<String> = []
        var waiting = try Self.libraries(of: program, at: path)
        while let next = waiting.popLast(), seen.count < Self.greatestLibraryCount {
            guard seen.insert(next).inserted, let image = Self.image(at: next) else { continue }
            do throws(InspectionProblem) {
                waiting += try Self.libraries(of: image, at: next)
                if try image.holdsWinnow { found.append((next, image)) }
            } catch {
                throw error.inLibrary(next)
            }
        }
        var tables: [StatementTable] = []
        let holdsWinnow = try program.holdsWinnow
        // That there is none is told where no library has one either.
        if holdsWinnow || found.isEmpty { tables.append(try StatementTable(program)) }
        for (path, image) in found {
            do throws(InspectionProblem) {
                tables.append(try StatementTable(image))
            } catch {
                throw error.inLibrary(path)
            }
        }
        libraries = found.map(\.path)
        table = StatementTable(joining: tables)
    }

    /// Opens a file that the loader may take for a library; nil where it would go on to the next one.
    private static func image(at path: String) -> ELFImage<ProgramFile>? {
        guard let file = try? ProgramFile(path: path) else { return nil }
        return try? ELFImage(file)
    }

    /// Where the libraries that an image needs may be, the last one first to be looked at.
    private static func libraries(
        of image: ELFImage<ProgramFile>,
        at path: String
    ) throws(InspectionProblem) -> [String] {
        let slash = path.lastIndex(of: "/")
        let origin = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folders = try image.libraryFolders().map { folder in
            folder.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
        }
        var paths: [String] = []
        for name in try image.neededLibraries() {
            let candidates = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
            if let path = candidates.first(where: { Self.image(at: $0) != nil }) {
                paths.append(path)
            }
        }
        return paths.reversed()
    }
}
