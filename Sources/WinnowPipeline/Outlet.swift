// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A sink and the lock that keeps its calls apart, shared by all that leads to the sink.
@safe
package final class Outlet: @unchecked Sendable {
    package let sink: any Sink
    let lock = Lock()
    // SAFETY: what the pointer leads to is never written again.
    private let callee: UnsafeMutablePointer<Callee>

    /// The sink where it can only be lent, so that a call counts no references.
    private struct Callee: ~Copyable {
        let sink: any Sink

        borrowing func write(_ record: borrowing Record) throws(SinkError) {
            try sink.write(record)
        }
    }

    package init(_ sink: any Sink) {
        self.sink = sink
        unsafe callee = .allocate(capacity: 1)
        unsafe callee.initialize(to: Callee(sink: sink))
    }

    deinit {
        unsafe callee.deinitialize(count: 1)
        unsafe callee.deallocate()
    }

    /// Has the sink take a record; with the lock held.
    func write(_ record: borrowing Record) throws(SinkError) {
        try unsafe callee.pointee.write(record)
    }

    /// Returns the outlet of a sink of the program's own: the same for as long as the program runs,
    /// as a configuration that is replaced may still be calling the sink.
    package static func shared(by sink: any Sink) -> Outlet {
        table.outlet(of: sink)
    }

    private static let table = Table()

    private final class Table: @unchecked Sendable {
        // SAFETY: every access to the outlets holds the lock. They retain their sinks, so that no
        // other object takes over an identifier.
        private let lock = Lock()
        private var outlets: [ObjectIdentifier: Outlet] = [:]

        func outlet(of sink: any Sink) -> Outlet {
            lock.withLock {
                let outlet = outlets[ObjectIdentifier(sink)] ?? Outlet(sink)
                outlets[ObjectIdentifier(sink)] = outlet
                return outlet
            }
        }
    }
}
