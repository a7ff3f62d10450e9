// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A sink and the lock that keeps its calls apart, shared by all that leads to the sink.
package final class Outlet: Sendable {
    package let sink: any Sink
    let lock = Lock()

    package init(_ sink: any Sink) {
        self.sink = sink
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
