// SPDX-License-Identifier: Apache-2.0

public import CWinnow

/// A log call that is open on this thread: what its message goes by.
@frozen
@safe
@usableFromInline
package struct OpenCall {
    /// Where the arguments of the message begin, in the call's buffer.
    @usableFromInline package let start: UnsafeMutableRawPointer
    /// What tells a message that was begun in that buffer for this call from others; never 0.
    @usableFromInline package let token: UInt64

    /// Arms the thread's cursor: the next message that is begun is begun there.
    ///
    /// It is inlined into the statement, like the code that takes the cursor: the compiler sees that the two
    /// belong together, and leaves only two stores of both.
    ///
    /// - Parameters:
    ///   - start: Where the arguments begin.
    ///   - next: What `cwinnow_cursor_next` says.
    @export(implementation)
    @inline(__always)
    package init(start: UnsafeMutablePointer<UInt8>, next: UInt64) {
        unsafe self.start = UnsafeMutableRawPointer(start)
        token = unsafe cwinnow_cursor_arm(start, next)
    }
}
