// SPDX-License-Identifier: Apache-2.0

/// What hands records over in batches.
protocol Batching: AnyObject {
    /// Has the sink deliver what it holds back.
    func commit()
}

/// The batches that are open, whose sinks hold records back: only the worker of deferred delivery has any.
enum OpenBatches {
    // SAFETY: the worker alone reads and writes what the pointer leads to, and the child of a fork, which has
    // no worker.
    private nonisolated(unsafe) static let all = {
        let all = UnsafeMutablePointer<[any Batching]>.allocate(capacity: 1)
        unsafe all.initialize(to: [])
        return unsafe all
    }()

    /// Notes that a sink holds records back from now on: on the worker's thread.
    static func add(_ batch: any Batching) {
        unsafe all.pointee.append(batch)
    }

    /// Has the sinks deliver what they hold back, also sinks of earlier configurations; does nothing on
    /// other threads than the worker's.
    static func commit() {
        guard ThreadRole.readsRings, unsafe !all.pointee.isEmpty else { return }
        unsafe all.pointee.forEach { $0.commit() }
        unsafe all.pointee.removeAll(keepingCapacity: true)
    }

    /// Makes what the child of a fork goes through: see `Lifecycle`.
    static func prepareForFork() {
        _ = unsafe all.pointee.isEmpty
    }

    /// Forgets the parent's, which its worker may have been writing: in the child of a fork.
    static func forgetParent() {
        unsafe all.initialize(to: [])
    }
}
