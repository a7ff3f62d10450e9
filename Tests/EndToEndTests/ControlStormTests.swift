// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Foundation
import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowInspection

/// Orders upon orders, while threads log and the process forks.
@Suite(.timeLimit(.minutes(30)))
struct ControlStormTests {
    @Test(arguments: ["immediate", "deferred"])
    func `threads log while they are turned ten thousand times`(delivery: String) async {
        await #expect(processExitsWith: .success) { [delivery] in
            let memory = Winnow.InMemorySink(capacity: 2_000_000)
            var configuration = Winnow.Configuration.control(
                .on,
                routes: [.sink(memory, name: "memory")]
            )
            configuration.delivery = delivery == "deferred" ? .deferred() : .immediate
            try Winnow.start(configuration)
            let isTurned = Atomic<Bool>(false)
            let loggers = (0..<8).map { number in
                StartedThread {
                    let log = Log("thread.\(number % 4)")
                    while !isTurned.load(ordering: .relaxed) {
                        log.debug("turned on")
                        log.notice("always")
                        usleep(500)
                    }
                }
            }
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            for count in 0..<10_000 {
                let order = [
                    ControlOrder.set("thread=debug", for: .milliseconds(count % 7)), .reset,
                    .set("thread.1=debug", for: nil), .set("thread=error", for: .seconds(9)),
                ][count % 4]
                _ = try program.give(order, patience: .zero)
            }
            #expect(try program.give(.reset, patience: .seconds(600)) == .done)
            #expect(!Log("thread.1").isEnabled(.debug) && Log("thread.1").isEnabled(.notice))
            isTurned.store(true, ordering: .relaxed)
            loggers.forEach { $0.join() }
            #expect(Winnow.flush(deadline: .seconds(300)))
            let sink = try #require(Winnow.status.sinks.first)
            #expect(sink.accepted == sink.delivered + sink.lostTotal && sink.lostTotal == 0)
            // At once: what a worker has to say of an order has a thread of its own, and may come yet.
            let records = memory.records
            let own = records.count { $0.category == "winnow" }
            #expect(own > 100)
            #expect(sink.delivered == UInt64(records.count - own))
        }
    }

    @Test func `a process that is turned forks`() async {
        await #expect(processExitsWith: .success) {
            let memory = Winnow.InMemorySink(capacity: 2_000_000)
            try Winnow.start(.control(.on, routes: [.sink(memory, name: "memory")]))
            let isDone = Atomic<Bool>(false)
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            // What both threads need of Swift's runtime: a fork while it makes a type leaves its lock held in the child.
            _ = try program.give(.reset, patience: .zero)
            Log("net").debug("before")
            let turning = StartedThread {
                while !isDone.load(ordering: .relaxed) {
                    _ = try? program.give(.set("net=debug", for: .milliseconds(1)), patience: .zero)
                    _ = try? program.give(.reset, patience: .zero)
                    usleep(100)
                }
            }
            let logging = StartedThread {
                while !isDone.load(ordering: .relaxed) { Log("net").debug("of the parent") }
            }
            for _ in 0..<200 {
                let child = fork_()
                if child == 0 {
                    Log("net").debug("of the child")
                    Log("net").notice("of the child")
                    exit(0)
                }
                var status: Int32 = 0
                #expect(unsafe waitpid(child, &status, 0) == child && status == 0)
            }
            isDone.store(true, ordering: .relaxed)
            turning.join()
            logging.join()
            let sink = try #require(Winnow.status.sinks.first)
            #expect(sink.accepted == sink.delivered + sink.lostTotal && sink.lostTotal == 0)
        }
    }

    @Test(arguments: ["immediate", "deferred"])
    func `no order of two tools lets through what none of them asks for`(delivery: String) async {
        await #expect(processExitsWith: .success) { [delivery] in
            let memory = Winnow.InMemorySink(capacity: 2_000_000)
            var configuration = Winnow.Configuration.control(
                .on,
                routes: [.sink(memory, name: "memory")]
            )
            configuration.delivery = delivery == "deferred" ? .deferred() : .immediate
            try Winnow.start(configuration)
            let logs = (0..<200).map { Log("c.\($0)") }
            let isTurned = Atomic<Bool>(false)
            let loggers = (0..<3).map { number in
                StartedThread {
                    var index = number
                    while !isTurned.load(ordering: .relaxed) {
                        logs[index % logs.count].debug("never")
                        index += 7
                    }
                }
            }
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            let tools = (0..<2).map { _ in
                StartedThread {
                    for count in 0..<5_000 {
                        let order: ControlOrder =
                            count % 2 == 0
                            ? .set("c=error", for: nil) : .set("c=notice", for: .seconds(100))
                        _ = try? program.give(order, patience: .zero)
                    }
                }
            }
            tools.forEach { $0.join() }
            // By statements alone: a question about a level would mend a cell.
            for log in logs { log.debug("never") }
            isTurned.store(true, ordering: .relaxed)
            loggers.forEach { $0.join() }
            for log in logs { log.debug("never") }
            #expect(Winnow.flush(deadline: .seconds(300)))
            #expect(!memory.records.contains { $0.message == "never" })
        }
    }

    @Test func `the calls of one category notice each order`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let net = Log("net")
            let isTurned = Atomic<Bool>(false)
            let logging = StartedThread {
                while !isTurned.load(ordering: .relaxed) { net.info("one category") }
            }
            let file = try #require(ControlFile.open(O_RDONLY))
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            for count in 0..<5_000 {
                for part in 0..<2 {
                    let order: ControlOrder =
                        (count + part) % 2 == 0 ? .reset : .set("net=error", for: nil)
                    _ = try program.give(order, patience: .zero)
                    if part == 0 { usleep(UInt32(count % 60)) }
                }
                // Nobody reminds the process. The time limit of the suite finds an order that it misses.
                while !file.isOrderTaken { usleep(100) }
            }
            isTurned.store(true, ordering: .relaxed)
            logging.join()
        }
    }

    @Test func `no call that begins after the end is let through`() async {
        await #expect(processExitsWith: .success) {
            let memory = Winnow.InMemorySink(capacity: 2_000_000)
            try Winnow.start(.control(.on, routes: [.sink(memory, name: "memory")]))
            let logs = (0..<15_000).map { Log("c.\($0)") }
            try give(.set("c=debug", for: .milliseconds(300)))
            let end = cwinnow_clock_boottime() + 300_000_000
            let loggers = [0, 5_000, 14_990].map { index in
                StartedThread {
                    while cwinnow_clock_boottime() < end + 300_000_000 {
                        logs[index].debug("\(cwinnow_clock_boottime())")
                    }
                }
            }
            loggers.forEach { $0.join() }
            // The message is made when the call has been let through, so that its time is later than its begin.
            let late = memory.records.compactMap { UInt64($0.message) }.filter { $0 > end }
            #expect(late.count <= loggers.count)
        }
    }

    @Test func `orders that take their time have one thread of their kind`() async {
        await #expect(processExitsWith: .success) {
            let isOpen = Atomic<Bool>(false)
            let sink = OwnSink { _ in while !isOpen.load(ordering: .relaxed) { usleep(1_000) } }
            var configuration = Winnow.Configuration.control(
                .on,
                routes: [.sink(sink, name: "own")]
            )
            configuration.delivery = .deferred()
            try Winnow.start(configuration)
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            Log.notice("stays in the sink")
            for _ in 0..<500 {
                _ = try program.give(.flush, patience: .zero)
                Log.debug("looks")
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count < 40
            )
            isOpen.store(true, ordering: .relaxed)
        }
    }

    @Test func `a child that no handler was told of asks while its parent is turned`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let logs = (0..<2_000).map { Log("c.\($0)") }
            let isDone = Atomic<Bool>(false)
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            let turning = StartedThread {
                while !isDone.load(ordering: .relaxed) {
                    _ = try? program.give(.set("net=debug", for: nil), patience: .zero)
                    logs[5].info("looks")
                }
            }
            for _ in 0..<50 {
                let child = untoldFork()
                if child == 0 {
                    for log in logs[..<10] where !log.isEnabled(.notice) { _exit(1) }
                    _exit(0)
                }
                var status: Int32 = 0
                #expect(unsafe waitpid(child, &status, 0) == child && status == 0)
            }
            isDone.store(true, ordering: .relaxed)
            turning.join()
        }
    }
}
