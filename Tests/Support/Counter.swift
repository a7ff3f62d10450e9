// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A number that any thread may count up.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package var value: Int { count.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    package func increment() -> Int {
        count.add(1, ordering: .sequentiallyConsistent).newValue
    }
}
