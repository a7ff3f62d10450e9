// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization

/// What a server sends over and over on one connection, until it is stopped or ten seconds are over.
final class Flood: Sendable {
    private let isStopped = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)
    private let sent = Atomic<Int>(0)

    /// Whether it has lasted its ten seconds.
    var isOver: Bool { hasEnded.load(ordering: .acquiring) }
    /// The bytes that the kernel has taken.
    var byteCount: Int { sent.load(ordering: .acquiring) }

    /// Sends on a thread of its own; the body is called meanwhile.
    static func run(
        over connection: Int32,
        _ bytes: [UInt8],
        while body: (Flood) throws -> Void
    ) rethrows {
        let flood = Flood()
        let thread = StartedThread { flood.send(bytes, over: connection) }
        defer {
            flood.isStopped.store(true, ordering: .releasing)
            thread.join()
        }
        try body(flood)
    }

    private func send(_ bytes: [UInt8], over connection: Int32) {
        var start = 0
        let deadline = ContinuousClock.now + .seconds(10)
        while !isStopped.load(ordering: .acquiring), ContinuousClock.now < deadline {
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let count = unsafe bytes[start...].withUnsafeBytes {
                unsafe Glibc.send(connection, $0.baseAddress, $0.count, flags)
            }
            if count > 0 {
                start = (start + count) % bytes.count
                sent.add(count, ordering: .acquiringAndReleasing)
            } else {
                var wait = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&wait, 1, 10)
            }
        }
        hasEnded.store(true, ordering: .releasing)
    }
}
