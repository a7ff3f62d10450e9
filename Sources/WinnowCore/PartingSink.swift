// SPDX-License-Identifier: Apache-2.0

/// A sink that has a word for its destination at the end of the process.
package protocol PartingSink: Sink {
    /// Takes leave of the destination where nothing waits for it, and does not wait; the next record
    /// turns to it anew.
    ///
    /// Called at a normal exit, behind the last records. Law 1 of ``Sink`` holds for it.
    func part()
}
