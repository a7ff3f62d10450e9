// SPDX-License-Identifier: Apache-2.0

/// The child of a fork, which has an account and a queue of its own.
extension SinkRoute {
    /// Forgets the parent's records and account: in the child of a fork.
    func forgetParent() {
        for slot in slots {
            slot.lock.reset()
            slot.hasMadeRoom = false
        }
        isHolding = false
        held.removeAll()
        account.forgetParent()
    }
}
