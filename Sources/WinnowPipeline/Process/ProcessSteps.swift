// SPDX-License-Identifier: Apache-2.0

/// What a floor above does at the end of the process and around a fork(2).
package struct ProcessSteps: Sendable {
    /// Hands over records late: before what waits is delivered at an exit, at _exit(2) and at a signal
    /// that ends the process.
    var beforeEnd: (@Sendable (ProcessEnd) -> Void)?
    var beforeFork: (@Sendable () -> Void)?
    var inParent: (@Sendable () -> Void)?
    var inChild: (@Sendable () -> Void)?

    package init(
        beforeEnd: (@Sendable (ProcessEnd) -> Void)? = nil,
        beforeFork: (@Sendable () -> Void)? = nil,
        inParent: (@Sendable () -> Void)? = nil,
        inChild: (@Sendable () -> Void)? = nil
    ) {
        self.beforeEnd = beforeEnd
        self.beforeFork = beforeFork
        self.inParent = inParent
        self.inChild = inChild
    }
}
