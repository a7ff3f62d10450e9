// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing

/// A record of which a pipe has taken a part: nothing else is logged, and the rest comes all the same.
struct OwedRestTests {
    private static let modes = ["immediate", "deferred"]
    private static let size = 20_000

    /// Runs the program with a pipe for standard error that has room for a page, until it has logged a
    /// record of more than that; gives the body the process, and what reads the pipe.
    private func run(
        _ delivery: String,
        _ body: (Process, FileHandle) throws -> Void
    ) throws {
        let (reader, writer) = makePipe()
        #expect(fcntl(writer, setPipeSize, 65_536) == 65_536)
        let filling = [UInt8](repeating: UInt8(ascii: "\n"), count: 65_536 - 4_096)
        #expect(unsafe write(writer, filling, filling.count) == filling.count)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = ["big=\(Self.size)", "step=logged", "no-status"]
        process.environment = [
            "WINNOW_SINKS": "stderr", "WINNOW_DELIVERY": delivery, "SWIFT_BACKTRACE": "enable=no",
        ]
        let (output, input) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = input
        process.standardError = FileHandle(fileDescriptor: writer)
        try process.run()
        close(writer)
        #expect(output.fileHandleForReading.availableData == Data("logged\n".utf8))
        // In deferred delivery it is logged, and the worker has yet to write it.
        var waiting: Int32 = 0
        while waiting < 65_536 { _ = unsafe ioctl(reader, UInt(FIONREAD), &waiting) }
        let pipe = FileHandle(fileDescriptor: reader, closeOnDealloc: true)
        defer { process.terminate() }
        try body(process, pipe)
    }

    /// Reads lines that are not empty until one is whole, or the pipe ends.
    private func readLine(from pipe: FileHandle) -> String {
        var bytes = Data()
        repeat {
            let more = pipe.availableData
            guard !more.isEmpty else { break }
            bytes += more.drop { $0 == UInt8(ascii: "\n") && bytes.isEmpty }
        } while bytes.last != UInt8(ascii: "\n")
        return String(decoding: bytes, as: UTF8.self)
    }

    private var isWhole: (String) -> Bool {
        { $0.hasSuffix(String(repeating: "x", count: Self.size) + "\n") }
    }

    @Test(arguments: modes)
    func `it comes once somebody reads, though the program logs nothing more`(
        delivery: String
    ) throws {
        try run(delivery) { _, pipe in
            #expect(isWhole(readLine(from: pipe)))
        }
    }

    @Test(arguments: modes)
    func `it comes where a signal ends the program`(delivery: String) throws {
        try run(delivery) { process, pipe in
            process.terminate()
            #expect(isWhole(readLine(from: pipe)))
            process.waitUntilExit()
            #expect(process.terminationStatus == SIGTERM)
            #expect(process.terminationReason == .uncaughtSignal)
        }
    }
}

/// `F_SETPIPE_SZ` of fcntl(2), which Glibc's module does not show.
private let setPipeSize: Int32 = 1_031
