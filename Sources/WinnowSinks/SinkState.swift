// SPDX-License-Identifier: Apache-2.0

/// The state of a sink, whose calls law 1 of `Sink` keeps apart.
///
/// It lies behind a pointer and not in the sink itself, as each access to a variable of a class costs
/// a check of exclusivity, some 60 instructions, and a record makes several.
///
/// Source: hot-path study, "Traps found in Swift".
@safe
package struct SinkState<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // SAFETY: the pointer is this value's own; law 1 of `Sink`, one call at a time, guards what it
    // leads to.
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    /// A pointer to the state, for calls that must be inlined down to their system call: the body of
    /// ``update(_:)`` would be a function of its own.
    var place: UnsafeMutablePointer<Value> {
        @inline(__always) get { unsafe pointer }
    }

    package init(_ state: consuming Value) {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: state)
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }

    /// Calls the body with the state; not from within itself.
    @export(implementation) @inline(__always)
    package borrowing func update<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(&pointer.pointee)
    }
}
