// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Foundation
import Glibc
import Support
import Synchronization
import WinnowCore
import WinnowFormatters
import WinnowSinks

/// A destination that nobody reads until a test says so, and the sink that leads there.
final class StalledDestination: Sendable {
    enum Kind: String, CaseIterable {
        case pipe
        case journal
        case syslog
    }

    let sink: any Sink
    /// What is read from, and what is to be closed at the end beside it.
    private let reader: Int32
    private let writer: Int32
    private let isPipe: Bool
    private let readCount = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    /// Makes one; that of a socket lies in the folder.
    init(_ kind: Kind, in folder: TemporaryFolder, named name: String) {
        isPipe = kind == .pipe
        let path = "\(folder.path)/\(name)"
        switch kind {
        case .pipe:
            (reader, writer) = makePipe()
            sink = StreamSink(descriptor: writer, formatter: TextFormatter())
        case .journal:
            (reader, writer) = (Self.bind(path), -1)
            sink = JournalSink(path: path, identifier: "test", facility: .user)
        case .syslog:
            (reader, writer) = (Self.bind(path), -1)
            let formatter = LocalSyslogFormatter(identifier: "test", facility: .user)
            sink = SyslogSink(path: path, formatter: formatter)
        }
    }

    deinit {
        close(reader)
        if writer >= 0 { close(writer) }
    }

    /// How many records were read.
    var count: Int { readCount.load(ordering: .acquiring) }

    /// Ends the reading.
    func stop() { isOver.store(true, ordering: .releasing) }

    /// Reads on a thread of its own until ``stop()``.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes that it takes at a time.
    ///   - pause: The time between two reads, in microseconds.
    /// - Returns: The thread.
    func read(_ byteCount: Int = 65_536, every pause: useconds_t = 0) -> StartedThread {
        StartedThread { [self] in
            var bytes = [UInt8](repeating: 0, count: byteCount)
            var event = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            while !isOver.load(ordering: .acquiring) {
                guard unsafe poll(&event, 1, 10) > 0 else { continue }
                let size = unsafe Glibc.read(reader, &bytes, byteCount)
                guard size > 0 else { break }
                let lines = isPipe ? bytes[..<size].count { $0 == UInt8(ascii: "\n") } : 1
                readCount.add(lines, ordering: .releasing)
                if pause > 0 { usleep(pause) }
            }
        }
    }

    private static func bind(_ path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: Array(path.utf8) + [0])
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, size)
            }
        }
        precondition(status == 0, "bind: \(errno)")
        return descriptor
    }
}
