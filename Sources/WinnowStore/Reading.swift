// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The thread that reads for one iteration, and what it hands over.
///
/// An open journal belongs to one thread, which a task does not have, and reading it blocks, which
/// a task must not. The thread reads ahead a little and then waits for the task.
final class Reading: Sendable {
    /// The entries that wait for the task; none means that there will be no more.
    typealias Batch = Result<[LogStore.Entry], LogStoreError>

    private struct State {
        var ready: [LogStore.Entry] = []
        var readyByteCount = 0
        /// The task that waits for entries.
        var task: CheckedContinuation<Batch, Never>?
        /// What follows when nothing is ready any more.
        var end: Batch?
        /// Whether nobody wants any more entries.
        var isAbandoned = false

        /// Whether the thread has read far enough ahead to keep both sides busy.
        var isFull: Bool { ready.count >= 64 || readyByteCount >= 1 << 20 }

        /// What a task that asks now gets; nil if it has to wait.
        mutating func take() -> Batch? {
            if isAbandoned { return .success([]) }
            guard !ready.isEmpty else { return end }
            readyByteCount = 0
            defer { ready = [] }
            return .success(ready)
        }
    }

    private let query: Query
    private let event: Event
    private let state = Guarded(State())

    /// Starts the thread.
    init(_ query: Query) throws(LogStoreError) {
        self.query = query
        event = try Event()
        let status = OwnThread.start("winnow-journal", run)
        guard status < 0 else { return }
        throw LogStoreError(.failed, "pthread_create", systemError: -status)
    }

    /// Returns the entries that are ready, and waits for one where none is.
    ///
    /// One task at a time may call it. When it is cancelled the reading is at its end.
    func nextBatch(isolation: isolated (any Actor)?) async -> Batch {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { task in
                let (batch, mayGoOn) = state.withLock { state in
                    let wasFull = state.isFull
                    let batch = state.take()
                    if batch == nil { state.task = task }
                    return (batch, wasFull)
                }
                if mayGoOn { event.signal() }
                if let batch { task.resume(returning: batch) }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Ends the reading, soon and from any thread.
    func abandon() {
        let task = state.withLock { state in
            state.isAbandoned = true
            state.ready = []
            return state.task.take()
        }
        event.signal()
        task?.resume(returning: .success([]))
    }

    private func run() {
        do throws(LogStoreError) {
            try read()
            finish(.success([]))
        } catch {
            finish(.failure(error))
        }
    }

    private func read() throws(LogStoreError) {
        var reader = try EntryReader.open(query)
        while true {
            if let entry = try reader.next() {
                guard put(entry) else { return }
            } else if query.isFollowing, !state.withLock({ $0.isAbandoned }) {
                try reader.wait(orUntil: event)
            } else {
                return
            }
        }
    }

    /// Hands an entry over, and waits until there is room for the next; false if nobody wants it.
    private func put(_ entry: LogStore.Entry) -> Bool {
        let (task, batch) = state.withLock {
            state -> (CheckedContinuation<Batch, Never>?, Batch?) in
            guard !state.isAbandoned else { return (nil, nil) }
            state.ready.append(entry)
            state.readyByteCount += entry.storage.count
            guard let task = state.task.take() else { return (nil, nil) }
            return (task, state.take())
        }
        if let task, let batch { task.resume(returning: batch) }
        while true {
            let (isAbandoned, isFull) = state.withLock { ($0.isAbandoned, $0.isFull) }
            guard !isAbandoned, isFull else { return !isAbandoned }
            event.wait()
        }
    }

    private func finish(_ end: Batch) {
        let task = state.withLock { state in
            state.end = end
            return state.task.take()
        }
        task?.resume(returning: end)
    }
}

extension Optional {
    /// Takes the value out.
    fileprivate mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
