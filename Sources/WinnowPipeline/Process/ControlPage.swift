// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// The control page of the process, by which others see and turn it: see `CWinnowControl.h`.
///
/// What stands there may be anything: the process takes the levels of the cells from it, and orders.
package enum ControlPage {
    /// Shows the page to others; nothing where the system permits no memory files.
    ///
    /// - Parameters:
    ///   - identifier: The name of the program in the log.
    ///   - floor: The raw value of the floor with which Winnow was built.
    ///   - isReadOnly: Whether others may only read it.
    package static func open(identifier: String, floor: Int32, isReadOnly: Bool) {
        if isReadOnly { Control.endTurn() }
        var header = cwinnow_control_header()
        header.began = cwinnow_clock_realtime()
        header.floor = floor
        let bytes = identifier.utf8.prefix(MemoryLayout.size(ofValue: header.identifier))
        header.identifier_length = UInt32(bytes.count)
        unsafe withUnsafeMutableBytes(of: &header.identifier) { unsafe $0.copyBytes(from: bytes) }
        Categories.lock.withLock { _ = unsafe cwinnow_control_open(&header, isReadOnly) }
        // Behind it: another thread may have made it meanwhile, and written it into the page before.
        let run = RunIdentity.known
        if run != 0 { cwinnow_control_set_run(run) }
        ShownAccounts.update()
    }

    /// Shows the program's own filter.
    package static func show(_ filter: Filter) {
        Categories.show(filter)
    }

    /// Hides the page.
    package static func close() {
        Control.endTurn()
        Categories.lock.withLock { cwinnow_control_close() }
    }

    /// Gives the child of a fork a page of its own, before it runs any code of the program.
    static func forgetParent() {
        cwinnow_control_forget_parent()
        Categories.registry.underway = CategoryRegistry.noneUnderway
        Categories.registry.shared.forgetParent()
    }
}
