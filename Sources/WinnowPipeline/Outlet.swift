// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A sink and the lock that keeps its calls apart, shared by the routes that lead to the sink.
package final class Outlet: Sendable {
    package let sink: any Sink
    let lock = Lock()

    package init(_ sink: any Sink) {
        self.sink = sink
    }
}
