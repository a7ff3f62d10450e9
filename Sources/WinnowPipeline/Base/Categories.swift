// SPDX-License-Identifier: Apache-2.0

package import CWinnow
internal import WinnowCore

/// The categories of the program: one cell a name, for as long as the program runs.
package enum Categories {
    /// A cell, which never moves and is never freed.
    @safe
    package struct Cell: @unchecked Sendable {
        // SAFETY: the mask is atomic, the rest of the cell is never written again.
        package let pointer: UnsafeMutablePointer<cwinnow_cell>
    }

    /// What is to be said of the categories: once of each subject.
    package typealias Finding = (subject: String, text: String)

    /// The number of categories that no program has in its source: its names hold what differs from record
    /// to record, and each takes some 200 bytes for good.
    private static let suspiciousCount = 4_096

    static let registry = CategoryRegistry()
    private static let findings = CategoryFindings()

    /// The lock that guards the registry, for fork(2).
    static var lock: Lock { registry.lock }

    /// Returns the cell of a category, made at the first call with the name, and how many there are if it was
    /// made now.
    ///
    /// Where memory has run out it is the cell of the default category.
    static func find(_ name: String) -> (cell: Cell, count: Int) {
        registry.lock.withLock {
            if let cell = registry.cells[name] { return (cell, 0) }
            cwinnow_control_own()
            var copy = name
            let made = copy.withUTF8 {
                unsafe cwinnow_category_register($0.baseAddress, $0.count)
            }
            guard let made = unsafe made else {
                return unsafe (Cell(pointer: cwinnow_category_default()), 0)
            }
            let cell = unsafe Cell(pointer: made)
            registry.cells[name] = cell
            unsafe RecorderRegion.note(made, name)
            registry.setCell(cell, named: name)
            if ControlOrder.isAny { registry.haveLookCloser(cell) }
            return (cell, registry.cells.count)
        }
    }

    /// Notes all that there are where the process begins to record.
    static func noteAllForRecorder() {
        let cells = registry.lock.withLock { registry.cells }
        for (name, cell) in cells { unsafe RecorderRegion.note(cell.pointer, name) }
    }

    /// Returns what is to be said of so many categories: once, if there are too many.
    static func takeWarning(of count: Int) -> String? {
        let isToTell = registry.lock.withLock {
            defer { findings.hasToldCount = findings.hasToldCount || count >= suspiciousCount }
            return count >= suspiciousCount && !findings.hasToldCount
        }
        guard isToTell else { return nil }
        return
            "there are \(count) categories, each of which takes some 200 bytes until the process ends: "
            + "put what differs from record to record into a field"
    }

    /// Sets what is to be said of the names of all categories, by `News.tellFindings` and at an exit, until
    /// there is another filter.
    package static func setFindings(_ find: @escaping @Sendable ([String]) -> [Finding]) {
        registry.lock.withLock { findings.find = find }
    }

    /// Takes what is to be said of the categories and was not said yet.
    static func takeFindings() -> [String] {
        registry.lock.withLock {
            let found = findings.find?(Array(registry.cells.keys)) ?? []
            return found.filter { findings.told.insert($0.subject).inserted }.map(\.text)
        }
    }

    /// Sets the levels of all categories, present and later ones; what was to be said of the names was of the filter
    /// before.
    ///
    /// - Parameters:
    ///   - taken: The levels that some sink takes.
    ///   - filter: The program's filter. What others have set stands above it.
    static func setLevels(taken: LevelSet, filter: Filter) {
        registry.lock.withLock {
            cwinnow_control_own()
            findings.find = nil
            registry.setLevels(filter, taken: taken)
        }
    }

    /// Notes that one task more or less lets through what a filter says in addition: calls of the categories that it
    /// names look at their task, as long as there is one.
    static func changeTasks(with filter: Filter, by change: Int) {
        registry.lock.withLock {
            cwinnow_control_own()
            registry.changeTasks(with: filter, by: change)
        }
    }
}

/// What is to be said of the names, and of what it was said; with the lock of the registry held.
private final class CategoryFindings: @unchecked Sendable {
    // SAFETY: every access holds the lock.
    var find: (@Sendable ([String]) -> [Categories.Finding])?
    var told: Set<String> = []
    var hasToldCount = false
}
