// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Glibc
internal import WinnowCore

/// The checks of what a sink does to its process.
extension SinkProbe {
    func checkSignals() throws {
        let outage = try requireOutage()
        deliver(makeSample("the record before the outage"))
        try outage.begin()
        let isRaised = Signals.isRaised(SIGPIPE) {
            for _ in 0..<20 {
                _ = write(makeSample("a record of the outage"))
                _ = flush()
            }
            _ = reopen()
            _ = write(makeSample("a record of the outage"))
        }
        if isRaised { note("SIGPIPE was raised, which ends a program that does not ask for it") }
        try outage.end()
    }

    /// Counts the open descriptors of the process before and after.
    ///
    /// Others may open many meanwhile, and keep them: a sink that leaves its own behind does so three
    /// times in a row.
    func checkDescriptors() throws {
        let outage = try requireOutage()
        deliver(makeSample("the record before the outage"))
        try outage.begin()
        defer { try? outage.end() }
        _ = write(makeSample("a record of the outage"))
        let finding = Descriptors.withOnlyCounter { () -> String? in
            var finding: String?
            for _ in 0..<3 {
                finding = describeDescriptorsLeft()
                if finding == nil { return nil }
            }
            return finding
        }
        if let finding { note(finding) }
    }

    /// Says how many descriptors more are open after a thousand failures, or fewer; nil where that is
    /// next to none.
    private func describeDescriptorsLeft() -> String? {
        let before = Descriptors.count
        for attempt in 1...1_000 {
            _ = write(makeSample("a record of the outage"))
            _ = reopen()
            // Fewer than the process may open: see RLIMIT_NOFILE of getrlimit(2).
            guard attempt % 50 == 0 else { continue }
            let left = Descriptors.count - before
            if left > 100 { return "\(left) descriptors are open after \(attempt) failures" }
        }
        return nil
    }
}

/// The signals of this thread.
private enum Signals {
    /// Whether the body raises the signal in this thread, which is kept from it.
    static func isRaised(_ signal: Int32, _ body: () -> Void) -> Bool {
        var blocked = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        var now = timespec()
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, signal)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
        body()
        unsafe sigpending(&pending)
        let isRaised = unsafe sigismember(&pending, signal) == 1
        if isRaised { unsafe sigtimedwait(&blocked, nil, &now) }
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        return isRaised
    }
}

/// The descriptors of this process.
private enum Descriptors {
    private static let counter = Guarded(())

    /// Runs the body while no other check counts: the sink of that one may be what leaves them behind.
    static func withOnlyCounter<Result: Sendable>(_ body: () -> Result) -> Result {
        counter.withLock { _ in body() }
    }

    /// How many are open, the one that counts among them.
    static var count: Int {
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }
}
