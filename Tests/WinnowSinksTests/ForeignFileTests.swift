// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowSinks

/// A file of the program's that has got the number of a sink's descriptor, as after closefrom(3).
@Suite(.timeLimit(.minutes(30)))
struct ForeignFileTests {
    @Test func `a file sink leaves it alone, and opens its own anew`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let sink = try FileSink(path: path, formatter: PlainFormatter())
            try sink.write("one")
            let database = folder.file("database")
            Descriptor.lead(Descriptor.opened(on: path), to: database)
            LookClock.wait()
            try sink.write("two")
            #expect(File.text(path) == "one\ntwo\n")
            #expect(File.text(database) == "")
            #expect(Descriptor.opened(on: database) >= 0)
        }
    }

    @Test func `opening a file anew leaves it open`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let sink = try FileSink(path: path, formatter: PlainFormatter())
            let database = folder.file("database")
            Descriptor.lead(Descriptor.opened(on: path), to: database)
            try sink.reopen()
            #expect(Descriptor.opened(on: database) >= 0)
        }
    }

    @Test(arguments: [true, false])
    func `a stream sink leaves it alone, and copies what it was made of where that is open`(
        isOpen: Bool
    ) async {
        await #expect(processExitsWith: .success) { [isOpen] in
            let folder = TemporaryFolder()
            let path = folder.file("output")
            let original = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            let sink = StreamSink(descriptor: original, formatter: PlainFormatter())
            let copy = Descriptor.copy(of: original)
            try sink.write("one")
            let database = folder.file("database")
            Descriptor.lead(copy, to: database)
            if !isOpen { close(original) }
            LookClock.wait()
            if isOpen {
                try sink.write("two")
            } else {
                let error = failure { () throws(SinkError) in try sink.write("two") }
                #expect(error == SinkError(.unavailable, systemError: EBADF))
            }
            #expect(File.text(path) == (isOpen ? "one\ntwo\n" : "one\n"))
            #expect(File.text(database) == "")
            #expect(Descriptor.opened(on: database) == copy)
        }
    }

    @Test func `a stream sink writes to no file that has the numbers of both`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let ends = Descriptor.pipe()
            let sink = StreamSink(descriptor: ends.writer, formatter: PlainFormatter())
            let copy = Descriptor.copy(of: ends.writer, ends.reader)
            try sink.write("one")
            // As a daemon does: closefrom(3), and /dev/null over the standard ones.
            let database = folder.file("database")
            Descriptor.lead(copy, to: database)
            dup2(copy, ends.writer)
            LookClock.wait()
            let error = failure { () throws(SinkError) in try sink.write("two") }
            #expect(error == SinkError(.unavailable, systemError: EBADF))
            #expect(File.text(database) == "")
        }
    }

    @Test func `a rotation takes neither owner nor permissions of it`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            let sink = try FileSink(
                path: path,
                formatter: PlainFormatter(),
                rotation: .size(1_000, keep: 2)
            )
            try sink.write("one")
            let permissions = File.permissions(path)
            let database = folder.file("database")
            Descriptor.lead(Descriptor.opened(on: path), to: database)
            unsafe chmod(database, 0o777)
            sink.rotate()
            try sink.write("two")
            #expect(File.text(path) == "two\n")
            #expect(File.text("\(path).1") == "one\n")
            #expect(File.permissions(path) == permissions)
            #expect(File.text(database) == "")
        }
    }

    @Test func `a child that closes what it has not opened writes to no other file`() async {
        await #expect(processExitsWith: .success) {
            alarm(600)
            let folder = TemporaryFolder()
            let output = folder.file("output")
            let original = unsafe open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            let stream = StreamSink(descriptor: original, formatter: PlainFormatter())
            let copy = Descriptor.copy(of: original)
            let path = folder.file("app.log")
            let file = try FileSink(path: path, formatter: PlainFormatter())
            try stream.write("one")
            try file.write("one")
            let database = folder.file("database")
            let child = fork_()
            if child == 0 {
                for number in [copy, Descriptor.opened(on: path)] {
                    Descriptor.lead(number, to: database)
                }
                try stream.write("two")
                try file.write("two")
                _exit(7)
            }
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child)
            #expect(status >> 8 == 7)
            #expect(File.text(output) == "one\ntwo\n")
            #expect(File.text(path) == "one\ntwo\n")
            #expect(File.text(database) == "")
        }
    }
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

extension Descriptor {
    /// Leads a number to a file of the program's.
    fileprivate static func lead(_ number: Int32, to path: String) {
        let file = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
        dup2(file, number)
        close(file)
    }
}
