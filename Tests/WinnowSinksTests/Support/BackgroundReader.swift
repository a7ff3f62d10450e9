// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization

/// Reads a destination on a thread of its own, as a receiver that works does.
final class BackgroundReader: Sendable {
    private struct State {
        var pieces: [[UInt8]] = []
        var isPaused = false
    }

    /// What the thread has in common with the reader, which it outlives by one look.
    private final class Shared: Sendable {
        let state = Mutex(State())
        let isOver = Atomic<Bool>(false)
        let read: @Sendable () -> [[UInt8]]

        init(_ read: @escaping @Sendable () -> [[UInt8]]) {
            self.read = read
        }

        func readOn() {
            while !isOver.load(ordering: .acquiring) {
                state.withLock { if !$0.isPaused { $0.pieces += read() } }
                usleep(500)
            }
        }
    }

    private let shared: Shared
    private let thread: StartedThread

    /// Starts to read.
    ///
    /// - Parameter read: Returns what has come; it does not wait.
    init(_ read: @escaping @Sendable () -> [[UInt8]]) {
        let shared = Shared(read)
        self.shared = shared
        thread = StartedThread { shared.readOn() }
    }

    deinit {
        shared.isOver.store(true, ordering: .releasing)
        thread.join()
    }

    /// What has come so far, piece by piece.
    var pieces: [[UInt8]] { shared.state.withLock { $0.pieces } }

    /// What has come so far, together.
    var bytes: [UInt8] { pieces.flatMap { $0 } }

    /// Reads nothing until ``resume()``.
    func pause() {
        shared.state.withLock { $0.isPaused = true }
    }

    func resume() {
        shared.state.withLock { $0.isPaused = false }
    }

    /// Forgets what has come.
    func removeAll() {
        shared.state.withLock { $0.pieces = [] }
    }

    /// Reads what is there, and runs the body before anything else is read.
    func afterLast(_ body: () -> Void) {
        shared.state.withLock { state in
            state.pieces += shared.read()
            body()
        }
    }
}
