// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How far the process is on the way to its end.
enum Stage {
    private static let ending = Atomic<Bool>(false)

    /// Whether the process ends, so that no sink has much time any more.
    static var isEnding: Bool {
        get { ending.load(ordering: .relaxed) }
        set { ending.store(newValue, ordering: .relaxed) }
    }
}
