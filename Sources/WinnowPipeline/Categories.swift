// SPDX-License-Identifier: Apache-2.0

package import CWinnow

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
        let lock = Lock()
    }

    private static let registry = Registry()

    /// The lock that guards the registry, for fork(2).
    static var lock: Lock { registry.lock }

    /// Returns the cell of a category, made at the first call with the name.
    ///
    /// Where memory has run out it is the cell of the default category.
    package static func cell(named name: String) -> Cell {
        registry.lock.withLock {
            if let cell = registry.cells[name] { return cell }
            var copy = name
            let made = copy.withUTF8 {
                unsafe cwinnow_category_make($0.baseAddress, $0.count)
            }
            guard let made = unsafe made else {
                return unsafe Cell(pointer: cwinnow_category_default())
            }
            let cell = unsafe Cell(pointer: made)
            registry.cells[name] = cell
            if let mask = registry.mask { unsafe cwinnow_category_set_mask(made, mask(name)) }
            return cell
        }
    }

    /// Sets the masks of all categories, of those that come later too.
    static func setMasks(_ mask: @escaping @Sendable (String) -> UInt32) {
        registry.lock.withLock {
            registry.mask = mask
            for (name, cell) in registry.cells {
                unsafe cwinnow_category_set_mask(cell.pointer, mask(name))
            }
        }
    }
}
