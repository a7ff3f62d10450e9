// SPDX-License-Identifier: Apache-2.0

/// The child of a fork, which has an account and a queue of its own.
extension Route {
    /// Forgets the parent's records and account: in the child of a fork.
    func forgetParent() {
        outlet.lock.reset()
        fallback?.lock.reset()
        account.lock.reset()
        account.forgetDelivered()
        isHolding = false
        hasMadeRoom = false
        account.isAbandoned = false
        account.update { entries in
            _ = unsafe held.takeAll { _, _ in }
            account.inFlight.forgetParent()
            entries = RouteAccount.Entries(
                status: SinkStatus(name: name),
                queue: SinkQueue(capacity: entries.queue.capacity)
            )
        }
    }
}
