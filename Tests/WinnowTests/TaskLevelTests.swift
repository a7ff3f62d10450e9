// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Support
import Testing
import Winnow
import WinnowCore
import WinnowPipeline

/// Levels for one task, and what it starts.
@Suite(.exclusivePipeline)
struct TaskLevelTests {
    let sink = ScriptedSink()
    let net = Log("tasks.net")
    let other = Log("others")

    private var messages: [String] { sink.settledEntries.map(\.message) }

    /// Whether calls of the category look at their task.
    private var doLook: Bool {
        unsafe cwinnow_category_levels(Pipeline.category(named: "tasks.net").pointer).closer != 0
    }

    @Test(arguments: DeliveryMode.both)
    func `an operation lets more through, and nothing else does`(delivery: DeliveryMode) {
        install([sink], filter: "notice", delivery: delivery)
        net.debug("before")
        let result = Log.withLevel(.debug, "tasks.*") {
            net.debug("within")
            other.debug("another category")
            #expect(net.isEnabled(.debug) && !other.isEnabled(.info))
            return 7
        }
        net.debug("behind")
        #expect(result == 7 && messages == ["within"] && !doLook)
    }

    @Test(arguments: DeliveryMode.both)
    func `tasks that it starts let more through, even if they outlive it`(
        delivery: DeliveryMode
    ) async {
        install([sink], filter: "notice", delivery: delivery)
        let over = Counter()
        let net = net
        let (child, detached) = await Log.withLevel(.info) {
            await withTaskGroup { group in
                group.addTask { net.info("in a group") }
                await group.waitForAll()
            }
            async let bound: Void = net.info("bound")
            await bound
            await Task.yield()
            net.info("after a suspension")
            let detached = Task.detached { net.info("detached") }
            await detached.value
            let child = Task {
                while over.value == 0 { await Task.yield() }
                net.info("outlives it")
                net.debug("not that much")
            }
            return (child, detached)
        }
        net.info("behind")
        over.increment()
        await child.value
        await detached.value
        #expect(
            messages == ["in a group", "bound", "after a suspension", "outlives it"]
        )
        while doLook { await Task.yield() }
    }

    @Test func `it lowers nothing, and inner ones add to outer ones`() {
        install([sink], filter: "info,others=error")
        Log.withLevel(.debug, "tasks.net") {
            Log.withLevel(.error, "*") {
                net.debug("as outside")
                other.warning("as without")
            }
            Log.withLevel(.warning, "others, unknown.*") {
                net.debug("as outside, again")
                other.warning("raised")
                other.notice("not raised")
            }
        }
        #expect(messages == ["as outside", "as outside, again", "raised"])
    }

    @Test func `it goes beyond rules, but not beyond what a sink takes`() {
        let line = #line + 3
        install([sink], levels: .upTo(.info), filter: "notice,@*:\(line)=error")
        Log.withLevel(.debug) {
            net.info("silenced by a rule")
            net.debug("no sink takes it")
        }
        #expect(messages == ["silenced by a rule"])
    }

    @Test func `another task's calls are held back while one has more`() async {
        install([sink], filter: "notice")
        let net = net
        let done = Counter()
        await withTaskGroup { group in
            group.addTask {
                await Log.withLevel(.debug) {
                    for _ in 0..<100 {
                        net.debug("of the one")
                        await Task.yield()
                    }
                }
                done.increment()
            }
            group.addTask {
                while done.value == 0 {
                    net.debug("of the other")
                    await Task.yield()
                }
            }
        }
        #expect(messages == [String](repeating: "of the one", count: 100))
    }

    @Test func `what is thrown comes out, and the levels end`() async {
        install([sink], filter: "notice")
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try Log.withLevel(.debug) { () throws(Failure) in throw Failure() }
        }
        await #expect(throws: Failure.self) {
            try await Log.withLevel(.debug) { () async throws(Failure) in
                await Task.yield()
                throw Failure()
            }
        }
        net.debug("no")
        #expect(messages == [] && !doLook)
    }

    @Test func `a category that is none is told, and the others apply`() {
        install([sink], filter: "notice")
        Log.withLevel(.debug, "n*t,tasks.net") { net.debug("yes") }
        #expect(
            messages == [
                "withLevel: 'n*t=debug': '*' stands alone or in '.*' at the end at character 1",
                "yes",
            ]
        )
    }

    @Test func `statements are told to be none`() {
        install([sink], filter: "notice")
        for _ in 0..<3 { Log.withLevel(.debug, "tasks.net@*.swift") { net.debug("no") } }
        let text = "names statements: a task has levels for categories"
        #expect(messages == ["withLevel: 'tasks.net@*.swift' \(text)"])
    }

    @Test func `levels that a task has already are not added`() async {
        install([sink], filter: "notice")
        func restart(_ count: Int) async {
            await Log.withLevel(.debug, "tasks.net") {
                #expect(TaskLevels.current.count == 1)
                if count > 0 { await Task { await restart(count - 1) }.value }
            }
        }
        await restart(20)
        Log.withLevel(.debug) { Log.withLevel(.info) { #expect(TaskLevels.current.count == 2) } }
        while doLook { await Task.yield() }
    }

    @Test func `categories that are made within, and a new filter, know of it`() {
        install([sink], filter: "notice")
        Log.withLevel(.debug, "tasks.late") {
            Log("tasks.late.made").debug("made within")
            install([sink], filter: "error")
            Log("tasks.late.made").debug("under another filter")
            net.notice("held back")
        }
        Log("tasks.late.made").warning("held back")
        #expect(messages == ["made within", "under another filter"])
    }

    @Test func `threads raise and log at once`() {
        install([sink], filter: "notice", delivery: .deferred)
        let threads = (0..<8).map { number in
            StartedThread {
                let log = Log("tasks.thread.\(number % 4)")
                for _ in 0..<500 {
                    Log.withLevel(.debug, "tasks.thread.\(number % 4)") { log.debug("raised") }
                    log.debug("not raised")
                }
            }
        }
        threads.forEach { $0.join() }
        let messages = messages
        #expect(messages.count == 4_000)
        #expect(messages.filter { $0 != "raised" } == [])
    }
}
