// SPDX-License-Identifier: Apache-2.0

/// The configurations that others have taken the place of.
final class RetiredTopologies: @unchecked Sendable {
    // SAFETY: every access to the array holds the lock.
    let lock = Lock(.retired)
    private var topologies: [Topology] = []

    /// All of them, the oldest first.
    var all: [Topology] { lock.withLock { topologies } }

    func add(_ topology: Topology) {
        lock.withLock { topologies.append(topology) }
    }
}
