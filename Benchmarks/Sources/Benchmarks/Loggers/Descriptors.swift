// SPDX-License-Identifier: Apache-2.0

import CMeter
import Glibc

/// Something that kept a figure from being taken.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The files, pipes and sockets that loggers write to.
enum Descriptors {
    static func openToAppend(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw BenchmarkError("\(path): errno \(errno)") }
        return descriptor
    }

    /// Makes a pipe.
    static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchmarkError("pipe(2): errno \(errno)") }
        return (ends[0], ends[1])
    }

    /// Makes the file the standard error of this process.
    static func standardError(isFile path: String) throws {
        try becomeStandardError(openToAppend(path))
    }

    /// Makes a pipe that a thread reads the standard error of this process.
    static func standardErrorIsPipe() throws {
        try becomeStandardError(pipeThatIsRead())
    }

    /// Makes a pipe that a thread reads; returns the other end.
    static func pipeThatIsRead() throws -> Int32 {
        let (reading, writing) = try makePipe()
        try readAway(reading)
        return writing
    }

    /// Makes a pair of datagram sockets, at whose reading end the kernel says when each came.
    static func makeStampedPair() throws -> (reading: Int32, writing: Int32) {
        var ends: (reading: Int32, writing: Int32) = (0, 0)
        let error = cmeter_stamped_pair(&ends.reading, &ends.writing)
        guard error == 0 else { throw BenchmarkError("socketpair(2): errno \(error)") }
        return ends
    }

    /// Makes a socket that takes datagrams, and a thread that reads it.
    static func listen(at path: String) throws {
        let descriptor = cmeter_listen(path)
        guard descriptor >= 0 else { throw BenchmarkError("\(path): errno \(-descriptor)") }
        try readAway(descriptor)
    }

    private static func readAway(_ descriptor: Int32) throws {
        let error = cmeter_read_away(descriptor)
        guard error == 0 else { throw BenchmarkError("no thread to read: errno \(error)") }
    }

    private static func becomeStandardError(_ descriptor: Int32) throws {
        guard dup2(descriptor, 2) == 2 else { throw BenchmarkError("dup2(2): errno \(errno)") }
    }
}
