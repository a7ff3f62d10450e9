// SPDX-License-Identifier: Apache-2.0

package import CWinnow
internal import WinnowCore

/// The categories of the program: one cell a name, for as long as the program runs.
package enum Categories {
    /// A cell, which never moves and is never freed.
    @safe
    package struct Cell: @unchecked Sendable {
        // SAFETY: the mask is atomic, the rest of the cell is never written again.
        package let pointer: UnsafeMutablePointer<cwinnow_category>
    }

    /// The cells by name, and what their masks are made of.
    private final class Registry: @unchecked Sendable {
        // SAFETY: every access to the two holds the lock.
        var cells: [String: Cell] = ["": unsafe Cell(pointer: cwinnow_category_default())]
        var mask: (@Sendable (String) -> UInt32)?
        /// What is to be said of the names, and of what it was said.
        var findings: (@Sendable ([String]) -> [Finding])?
        var told: Set<String> = []
        var hasToldCount = false
        let lock = Lock(.categories)
    }

    /// What is to be said of the categories: once of each subject.
    package typealias Finding = (subject: String, text: String)

    /// The number of categories that no program has in its source: its names hold what differs from record
    /// to record, and each takes some 200 bytes for good.
    private static let suspiciousCount = 4_096

    private static let registry = Registry()

    /// The lock that guards the registry, for fork(2).
    static var lock: Lock { registry.lock }

    /// Returns the cell of a category, made at the first call with the name, and how many there are if it was
    /// made now.
    ///
    /// Where memory has run out it is the cell of the default category.
    static func find(_ name: String) -> (cell: Cell, count: Int) {
        registry.lock.withLock {
            if let cell = registry.cells[name] { return (cell, 0) }
            var copy = name
            let made = copy.withUTF8 {
                unsafe cwinnow_category_make($0.baseAddress, $0.count)
            }
            guard let made = unsafe made else {
                return unsafe (Cell(pointer: cwinnow_category_default()), 0)
            }
            let cell = unsafe Cell(pointer: made)
            registry.cells[name] = cell
            if let mask = registry.mask { unsafe cwinnow_category_set_mask(made, mask(name)) }
            return (cell, registry.cells.count)
        }
    }

    /// Returns what is to be said of so many categories: once, if there are too many.
    static func takeWarning(of count: Int) -> String? {
        let isToTell = registry.lock.withLock {
            defer { registry.hasToldCount = registry.hasToldCount || count >= suspiciousCount }
            return count >= suspiciousCount && !registry.hasToldCount
        }
        guard isToTell else { return nil }
        return
            "there are \(count) categories, each of which takes some 200 bytes until the process ends: "
            + "put what differs from record to record into a field"
    }

    /// Sets what is to be said of the names of all categories, by `News.tellFindings` and at an exit, until
    /// there is another filter.
    package static func setFindings(_ findings: @escaping @Sendable ([String]) -> [Finding]) {
        registry.lock.withLock { registry.findings = findings }
    }

    /// Takes what is to be said of the categories and was not said yet.
    static func takeFindings() -> [String] {
        registry.lock.withLock {
            let findings = registry.findings?(Array(registry.cells.keys)) ?? []
            return findings.filter { registry.told.insert($0.subject).inserted }.map(\.text)
        }
    }

    /// Sets the masks of all categories, present and later ones; what was to be said of the names was of the filter
    /// before.
    static func setMasks(_ mask: @escaping @Sendable (String) -> UInt32) {
        registry.lock.withLock {
            registry.mask = mask
            registry.findings = nil
            for (name, cell) in registry.cells {
                unsafe cwinnow_category_set_mask(cell.pointer, mask(name))
            }
        }
    }
}
