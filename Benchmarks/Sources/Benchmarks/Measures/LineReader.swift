// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A thread that reads a pipe and counts its lines.
///
/// A logger may keep a descriptor of its own, so that the pipe has no end: the reader stops when it
/// is told to and nothing has come for a while.
final class LineReader: Sendable {
    /// What the pipe held.
    struct Lines {
        /// Those that the benchmark's calls have made.
        var calls = 0
        /// Those that the logger has written of itself.
        var others = 0
    }

    private static let patience: Int32 = 200
    private let isLast = Atomic<Bool>(false)
    private let lines = Mutex(Lines())
    private let ended = DispatchSemaphore(value: 0)

    /// Begins to read.
    init(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            let found = Self.count(in: read(descriptor))
            lines.withLock { $0 = found }
            ended.signal()
        }
    }

    /// Waits until the pipe is empty; everything must have been written.
    func finish() -> Lines {
        isLast.store(true, ordering: .relaxed)
        ended.wait()
        return lines.withLock { $0 }
    }

    private func read(_ descriptor: Int32) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, Self.patience) > 0 || !isLast.load(ordering: .relaxed) {
            guard request.revents != 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            data.append(contentsOf: buffer[..<count])
        }
        return data
    }

    private static func count(in data: Data) -> Lines {
        let mark = Data("[bench] request ".utf8)
        return data.split(separator: UInt8(ascii: "\n")).reduce(into: Lines()) { lines, line in
            if line.range(of: mark) != nil { lines.calls += 1 } else { lines.others += 1 }
        }
    }
}
