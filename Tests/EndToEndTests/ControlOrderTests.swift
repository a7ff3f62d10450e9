// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Support
import Synchronization
import Testing
import Winnow
import WinnowCore
import WinnowFormatters
import WinnowInspection
import WinnowTesting

/// What a process does when another one turns it; each test in a process of its own.
@Suite(.timeLimit(.minutes(30)))
struct ControlOrderTests {
    @Test func `the next call obeys, and the log says who has set what`() async {
        await #expect(processExitsWith: .success) {
            let memory = Winnow.InMemorySink(capacity: 10)
            try Winnow.start(.control(.on, routes: [.sink(memory, name: "memory")]))
            let (net, other) = (Log("net"), Log("other"))
            #expect(try give(.set("net=debug", for: nil)) == .waiting)
            net.debug("let through")
            other.debug("not let through")
            #expect(try give(.set("net=info", for: .seconds(3_600))) == .waiting)
            net.debug("not let through")
            net.info("let through")
            #expect(try give(.reset) == .waiting)
            net.info("not let through")
            let texts = memory.records.map { "\($0.category) \($0.level): \($0.message)" }
            #expect(
                texts == [
                    "winnow notice: levels are set from outside", "net debug: let through",
                    "winnow notice: levels are set from outside", "net info: let through",
                    "winnow notice: levels set from outside are reset",
                ]
            )
            let fields = memory.records.map { $0.fields.map { "\($0.name)=\($0.value)" } }
            let author = ["winnow_uid=\(getuid())", "winnow_pid=\(getpid())"]
            #expect(fields[0] == ["winnow_filter=net=debug"] + author)
            // A time as those of records are: `2026-11-27T11:09:27.131906Z`.
            let until = try #require(fields[2].count == 4 ? fields[2][1] : nil)
            #expect(until.hasPrefix("winnow_until=20") && until.utf8.count == 13 + 27)
            #expect(fields[4] == ["winnow_filter=net=info"] + author)
        }
    }

    @Test func `what was set for a time ends with the first call behind it`() async {
        await #expect(processExitsWith: .success) {
            let memory = Winnow.InMemorySink(capacity: 1_000_000)
            try Winnow.start(.control(.on, routes: [.sink(memory, name: "memory")]))
            let (net, threadCount) = (Log("net"), 8)
            // Once more where the time has passed before the process has looked.
            repeat {
                try give(.set("net=debug", for: .milliseconds(200)))
            } while !net.isEnabled(.debug)
            let threads = (0..<threadCount).map { _ in
                StartedThread { while net.isEnabled(.debug) { net.debug("raised") } }
            }
            threads.forEach { $0.join() }
            net.notice("behind")
            let own = memory.records.filter { $0.category == "winnow" }
            #expect(
                own.map(\.message).suffix(2) == [
                    "levels are set from outside", "levels set from outside have ended",
                ]
            )
            // What a thread was about when the time ended is let through.
            let end = try #require(own.last).timestamp
            let late = memory.records.filter { $0.message == "raised" && $0.timestamp > end }
            #expect(late.count <= threadCount)
            #expect(memory.records.contains { $0.message == "behind" })
        }
    }

    @Test func `levels that are held back for a time come back`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let net = Log("net")
            try give(.set("error", for: .seconds(3_600)))
            #expect(!net.isEnabled(.notice) && net.isEnabled(.error))
            try give(.reset)
            // Once more where the time has passed before the process has looked.
            repeat { try give(.set("error", for: .milliseconds(100))) } while net.isEnabled(.notice)
            while !net.isEnabled(.notice) { usleep(1_000) }
            #expect(net.isEnabled(.error) && !net.isEnabled(.info))
        }
    }

    @Test(arguments: [nil, Duration.seconds(3_600)])
    func `all that asks for the levels is told those of now`(time: Duration?) async {
        await #expect(processExitsWith: .success) { [time] in
            let memory = Winnow.InMemorySink(capacity: 100)
            try Winnow.start(.control(.on, routes: [.sink(memory, name: "memory")]))
            let net = Log("net")
            try give(.set("net=error|debug", for: time))
            #expect(net.acceptedLevels == [.error, .debug])
            for log in [net, net.every(2), net.with(("a", 1))] {
                log.notice("held back")
                log.debug("let through")
                log.interval("held back", level: .info) {}
                log.interval("let through", level: .debug) {}
            }
            let texts = memory.records.filter { $0.category == "net" }.map(\.message)
            #expect(texts.count >= 6 && texts.allSatisfy { !$0.contains("held back") })
        }
    }

    @Test func `what the program sets lies under what others have set`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let (net, db) = (Log("net"), Log("db"))
            try give(.set("net=debug", for: nil))
            #expect(net.isEnabled(.debug) && !db.isEnabled(.info))
            try Winnow.setFilter("info")
            #expect(net.isEnabled(.debug) && db.isEnabled(.info) && !db.isEnabled(.debug))
            #expect(Log("net.later").isEnabled(.debug) && !Log("later").isEnabled(.debug))
            try Winnow.start(.control(.on, filter: "error"))
            #expect(net.isEnabled(.debug) && !db.isEnabled(.warning))
            #expect(Winnow.filter.description == "error")
            try give(.reset)
            #expect(!net.isEnabled(.warning) && !db.isEnabled(.warning))
        }
    }

    @Test func `an order reaches a category that was made after it, and those that have no cell`()
        async
    {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let before = (1...17_000).map { Log("c.\($0)") }
            try give(.set("c=debug", for: nil))
            let after = Log("c.later")
            #expect(after.isEnabled(.debug))
            #expect(before.allSatisfy { $0.isEnabled(.debug) })
        }
    }

    @Test(arguments: ["", "debgu", "net=debug,,;", "*=\u{FFFD}"])
    func `a filter that is none is refused`(filter: String) async {
        await #expect(processExitsWith: .success) { [filter] in
            try Winnow.start(.control(.on))
            try give(.set(filter, for: nil))
            #expect(!Log("net").isEnabled(.debug) && Log("net").isEnabled(.notice))
            let answer = StartedThread { while Log("net").isEnabled(.notice) { usleep(1_000) } }
            #expect(try give(.set(filter, for: nil), patience: .seconds(600)) == .refused)
            try give(.set("off", for: nil))
            answer.join()
        }
    }

    @Test func `a page that is only read takes no order`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.read))
            #expect(throws: InspectionProblem.self) { try give(.reset) }
        }
    }

    @Test func `a file is opened anew, and a sink is flushed`() async throws {
        let folder = try TemporaryFolder()
        let path: String = "\(folder.path)/log"
        await #expect(processExitsWith: .success) { [path = path as String] in
            let delivery = Winnow.Delivery.deferred()
            let route = Winnow.Route.file(path)
            try Winnow.start(
                .init(identifier: "control test", routes: [route], delivery: delivery, control: .on)
            )
            Log.notice("first")
            #expect(Winnow.flush(deadline: .seconds(300)))
            #expect(unsafe rename(path, path + ".old") == 0)
            let isAnswered = Atomic<Bool>(false)
            let logging = StartedThread {
                while !isAnswered.load(ordering: .relaxed) {
                    Log.notice("meanwhile")
                    usleep(1_000)
                }
            }
            #expect(try give(.reopen, patience: .seconds(600)) == .done)
            #expect(unsafe access(path, F_OK) == 0)
            #expect(try give(.flush, patience: .seconds(600)) == .done)
            isAnswered.store(true, ordering: .relaxed)
            logging.join()
        }
    }
}

extension ControlOrderTests {
    @Test func `who asks is shown the accounts of the sinks`() async {
        await #expect(processExitsWith: .success) {
            let (memory, own) = (Winnow.InMemorySink(capacity: 10), OwnSink())
            let routes = [
                Winnow.Route.sink(memory, name: "memory"),
                .sink(own, name: "own", levels: .upTo(.error)),
            ]
            try Winnow.start(.control(.on, routes: routes))
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            #expect(program.page.accounts?.sinks.map(\.name) == ["memory", "own"])
            #expect(program.page.accounts?.accepted == 0)
            for log in [Log("a"), Log("b"), Log("c")] { log.error("a record") }
            Log("a").notice("for the first alone")
            #expect(Winnow.flush(deadline: .seconds(300)))
            let answer = StartedThread { while Log("a").isEnabled(.notice) { usleep(1_000) } }
            let accounts = try #require(
                try program.refreshed(patience: .seconds(600)).page.accounts
            )
            #expect(accounts.accepted == 4)
            #expect(accounts.sinks.map(\.accepted) == [4, 3])
            #expect(accounts.sinks.map(\.delivered) == [4, 3])
            #expect(accounts.sinks.map(\.levels) == [.all, .upTo(.error)])
            #expect(accounts.sinks.allSatisfy { $0.lost == 0 && $0.failure == nil })
            try give(.set("off", for: nil))
            answer.join()
        }
    }

    @Test func `a question does not take the place of an order that was not taken yet`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            try give(.set("debug", for: nil))
            try give(.reopen)
            #expect(
                try program.refreshed(patience: .zero).page.categories[0].levels == .upTo(.notice)
            )
            #expect(Log("any").isEnabled(.debug))
            #expect(try program.refreshed(patience: .zero).page.categories[0].levels == .all)
        }
    }

    @Test func `an order whose time is over sets nothing, and who gave it is told`() async {
        await #expect(processExitsWith: .success) {
            let memory = Winnow.InMemorySink(capacity: 10)
            try Winnow.start(.control(.on, routes: [.sink(memory, name: "memory")]))
            let page = try #require(ControlFile.open(O_RDONLY))
            try give(.set("info", for: .seconds(3_600)))
            #expect(Log("net").isEnabled(.info) && page.isOrderTaken)
            let giver = StartedThread {
                let outcome = try? give(
                    .set("debug", for: .milliseconds(1)),
                    patience: .seconds(600)
                )
                #expect(outcome == .late)
            }
            while page.isOrderTaken { usleep(1_000) }
            usleep(20_000)
            #expect(!Log("net").isEnabled(.debug) && Log("net").isEnabled(.info))
            Log("net").debug("held back")
            giver.join()
            #expect(
                memory.records.map(\.message) == [
                    "levels are set from outside",
                    "levels were to be set from outside, but their time had passed",
                ]
            )
            let late = try #require(memory.records.last)
            let until = try #require(late.fields.first { $0.name == "winnow_until" })
            var time = ByteBuffer()
            time.append(rfc3339: late.timestamp)
            let bytes = time.withBytes { span in span.indices.map { span[$0] } }
            #expect("\(until.value)" < String(decoding: bytes, as: UTF8.self))
            let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
            #expect(program.page.state.turn?.filter == "info")
        }
    }

    @Test func `a file that cannot be opened anew is told`() async throws {
        let folder = try TemporaryFolder()
        let path: String = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            #expect(unsafe mkdir(path + "/sub", 0o755) == 0)
            let file = "\(path)/sub/log"
            try Winnow.start(.control(.on, routes: [.file(file)]))
            #expect(unsafe rename(path + "/sub", path + "/gone") == 0)
            let isAnswered = Atomic<Bool>(false)
            let logging = StartedThread {
                while !isAnswered.load(ordering: .relaxed) {
                    Log.notice("meanwhile")
                    usleep(1_000)
                }
            }
            let reason = try #require(try give(.reopen, patience: .seconds(600)).reason)
            #expect(reason.hasPrefix("file:\(file) cannot be opened anew: "))
            isAnswered.store(true, ordering: .relaxed)
            logging.join()
        }
    }

    @Test func `what a flush leaves is told`() async {
        await #expect(processExitsWith: .success) {
            let sink = FailingSink(RecordingSink())
            sink.fail(with: SinkError(.busy))
            let route = Winnow.Route.sink(sink, name: "failing")
            try Winnow.start(
                .init(
                    identifier: "control test",
                    routes: [route],
                    delivery: .deferred(),
                    control: .on
                )
            )
            let answer = StartedThread { while Log("a").isEnabled(.notice) { usleep(1_000) } }
            Log("a").notice("waits")
            let reason = try #require(try give(.flush, patience: .seconds(600)).reason)
            #expect(reason == "records that wait for failing: 1")
            sink.succeed()
            try give(.set("off", for: nil))
            answer.join()
        }
    }

    @Test func `a page that others cannot write to any more ends what they have set`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            for control in [Winnow.ControlUse.read, .off] {
                try give(.set("debug", for: nil))
                #expect(Log("net").isEnabled(.debug))
                try Winnow.start(.control(control))
                #expect(!Log("net").isEnabled(.debug))
                try Winnow.start(.control(.on))
            }
        }
    }

    @Test func `a thread with little stack takes an order`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            Log.notice("makes what the first record needs")
            try give(.set("net=debug,a.b.*=error,c=off", for: .seconds(3_600)))
            var attributes = pthread_attr_t()
            unsafe pthread_attr_init(&attributes)
            #expect(unsafe pthread_attr_setstacksize(&attributes, 32 * 1_024) == 0)
            var thread = pthread_t()
            let status = unsafe pthread_create(
                &thread,
                &attributes,
                { _ in
                    Log.notice("takes it")
                    return nil
                },
                nil
            )
            #expect(status == 0)
            pthread_join(thread, nil)
            #expect(try RunningProgram.all(named: "\(getpid())").first?.page.state.turn != nil)
        }
    }
}
