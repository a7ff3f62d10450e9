// SPDX-License-Identifier: Apache-2.0

/// The child of a fork, which has an account and a queue of its own.
extension Route {
    /// Forgets the parent's records and account: in the child of a fork.
    func forgetParent() {
        outlet.lock.reset()
        fallback?.lock.reset()
        books.lock.reset()
        outage = nil
        failure = nil
        books.isInTrouble = false
        books.forgetDelivered()
        isHolding = false
        hasMadeRoom = false
        books.isAbandoned = false
        books.update { page in
            _ = unsafe held.takeAll { _, _ in }
            page = Books.Page(
                status: SinkStatus(name: name),
                spill: Spill(capacity: page.spill.capacity)
            )
        }
    }
}
