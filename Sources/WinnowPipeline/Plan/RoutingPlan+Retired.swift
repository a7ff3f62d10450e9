// SPDX-License-Identifier: Apache-2.0

extension RoutingPlan {
    /// The configurations that others have taken the place of.
    final class Retired: @unchecked Sendable {
        // SAFETY: every access to the array holds the lock.
        let lock = Lock(.retired)
        private var plans: [RoutingPlan] = []

        /// All of them, the oldest first.
        var all: [RoutingPlan] { lock.withLock { plans } }

        func add(_ plan: RoutingPlan) {
            lock.withLock { plans.append(plan) }
        }
    }
}
