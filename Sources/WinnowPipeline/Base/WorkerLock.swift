// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// What a worker of sinks or rings holds but while it rests, and a fork(2) waits for with a bound.
///
/// A worker that is inside Swift's runtime meanwhile, which looks up types under a lock of its own, would
/// leave that lock held in the child for ever.
final class WorkerLock: Sendable {
    /// How many threads are about to fork.
    private static let forks = Atomic<Int>(0)

    private let lock = Lock(.worker)

    /// Begins to hold it: the worker, once.
    func begin() {
        lock.acquire()
    }

    /// Runs the body, in which the worker rests.
    func rest(_ body: () -> Void) {
        lock.release()
        body()
        lock.acquire()
    }

    /// Rests for a moment where somebody is about to fork: a worker that always finds something to do
    /// would not.
    func pauseForFork() {
        guard Self.forks.load(ordering: .sequentiallyConsistent) > 0 else { return }
        rest { cwinnow_thread_pause(Bounds.Fork.workerRest) }
    }

    /// Waits until the workers rest, up to the deadline on CLOCK_MONOTONIC, and keeps them from going on; returns
    /// the locks that do.
    static func acquire(_ workerLocks: [WorkerLock], until deadline: UInt64) -> [Lock] {
        forks.add(1, ordering: .sequentiallyConsistent)
        defer { forks.subtract(1, ordering: .sequentiallyConsistent) }
        return workerLocks.map(\.lock).filter { $0.acquire(until: deadline) }
    }

    /// Makes what the child of a fork goes through: see `Lifecycle`.
    static func prepareForFork() {
        _ = forks.load(ordering: .relaxed)
    }

    /// Forgets the parent's worker: in the child of a fork.
    func forgetParent() {
        lock.reset()
        Self.forks.store(0, ordering: .relaxed)
    }
}
