// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowSinks

/// A stream sink of a process that has no descriptor left for a copy of the program's.
@Suite(.timeLimit(.minutes(30)))
struct BorrowedDescriptorTests {
    /// Takes all descriptors that there are up to the number, as copies of it, and returns them.
    private func takeAll(upTo number: Int32) -> [Int32] {
        // Dispatch traps where it finds none for its epoll(7): it gets them before.
        let isReady = DispatchSemaphore(value: 0)
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { isReady.signal() }
        timer.schedule(deadline: .now())
        timer.activate()
        isReady.wait()
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        unsafe getrlimit(resource, &limit)
        limit.rlim_cur = rlim_t(number + 8)
        unsafe setrlimit(resource, &limit)
        var taken: [Int32] = []
        while case let copy = dup(number), copy >= 0 { taken.append(copy) }
        return taken
    }

    @Test func `it sends to the program's socket, and writes to its pipe without a wait`() async {
        await #expect(processExitsWith: .success) {
            let (reader, writer) = Descriptor.pipe()
            var ends: [Int32] = [-1, -1]
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            _ = BorrowedDescriptorTests().takeAll(upTo: ends[1])
            let pipeSink = StreamSink(descriptor: writer, formatter: PlainFormatter())
            let socketSink = StreamSink(descriptor: ends[0], formatter: PlainFormatter())
            for (sink, end) in [(pipeSink, reader), (socketSink, ends[1])] {
                try sink.write("one")
                #expect(Descriptor.readAvailable(end) == Array("one\n".utf8))
                let text = String(repeating: "x", count: 4_000)
                #expect(throws: SinkError(.busy, systemError: EAGAIN)) {
                    for _ in 0..<1_000 { try sink.write(text) }
                }
            }
            #expect(!Descriptor.isNonBlocking(writer) && !Descriptor.isNonBlocking(ends[0]))
        }
    }
}
