// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Support
import Testing
import Winnow
import WinnowInspection

/// The page by which others see and turn a process; each test in a process of its own.
@Suite(.timeLimit(.minutes(30)))
struct ControlTests {
    @Test func `a process shows its log from its start on`() async {
        await #expect(processExitsWith: .success) {
            let before = Log("before")
            #expect(ControlFile.open(O_RDONLY) == nil)
            try Winnow.start(.control(.on, filter: "notice,before=debug"))
            _ = Log("after")
            let page = try #require(try RunningProgram.all(named: "\(getpid())").first?.page)
            #expect(page.processID == getpid())
            #expect(page.identifier == "control test")
            #expect(page.run == nil)
            #expect(
                page.categories.map { "\($0.name)=\($0.levels)" }
                    == ["=notice", "after=notice", "before=debug"]
            )
            before.notice("a record")
            #expect(try RunningProgram.all(named: "\(getpid())").first?.page.run != nil)
        }
    }

    @Test func `what another process writes into a cell applies to the next call`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let log = Log("turned")
            let file = try #require(ControlFile.open(O_RDWR))
            #expect(!log.isEnabled(.debug))
            #expect(file.setHeld(0x100, ofCell: 1) == 4)
            #expect(log.isEnabled(.debug) && !Log("other").isEnabled(.debug))
            try Winnow.setFilter("error")
            #expect(!log.isEnabled(.debug) && log.isEnabled(.error))
        }
    }

    @Test func `nobody but its user opens it, and nobody changes its size`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let file = try #require(ControlFile.open(O_RDWR))
            var status = stat()
            #expect(unsafe fstat(file.descriptor, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            for size in [0, status.st_size + 1] {
                #expect(ftruncate(file.descriptor, size) < 0)
            }
            // F_ADD_SEALS and F_SEAL_WRITE.
            #expect(fcntl(file.descriptor, 1_033, 8) < 0)
        }
    }

    @Test func `a page that is only read is only written to by its process`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.read))
            let file = try #require(ControlFile.open(O_RDWR))
            #expect(file.setHeld(0x100, ofCell: 0) < 0)
            try Winnow.setFilter("debug")
            #expect(Log("any").isEnabled(.debug))
            let page = try #require(try RunningProgram.all(named: "\(getpid())").first?.page)
            #expect(page.categories.map(\.levels) == [.upTo(.debug), .upTo(.debug)])
            close(file.descriptor)
            for (control, written) in [(Winnow.ControlUse.on, 4), (.read, -1)] {
                try Winnow.start(.control(control))
                #expect(ControlFile.all().count == 1)
                let file = try #require(ControlFile.open(O_RDWR))
                #expect(file.setHeld(0x100, ofCell: 0) == written)
                close(file.descriptor)
            }
        }
    }

    @Test(arguments: ["on", "off"])
    func `a page is hidden by a start that says so`(before: String) async {
        await #expect(processExitsWith: .success) { [before] in
            let before = try #require(Winnow.ControlUse(rawValue: before))
            try Winnow.start(.control(before, filter: "debug"))
            let log = Log("any")
            try Winnow.start(.control(.off, filter: "notice"))
            #expect(ControlFile.open(O_RDONLY) == nil)
            #expect(log.isEnabled(.notice) && !log.isEnabled(.debug))
            try Winnow.start(.control(.on, filter: "debug"))
            #expect(ControlFile.open(O_RDONLY) != nil)
            #expect(log.isEnabled(.debug))
        }
    }

    @Test func `a page that the system does not permit is missed by nobody`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
            #expect(unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0)
            try Winnow.start(.control(.on))
            #expect(ControlFile.open(O_RDONLY) == nil)
            #expect(Log("any").isEnabled(.notice) && !Log("any").isEnabled(.debug))
        }
    }

    @Test func `a process that closes all descriptors goes on`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on))
            let log = Log("any")
            let number = try #require(ControlFile.open(O_RDONLY)?.number)
            close(number)
            try Winnow.setFilter("debug")
            #expect(log.isEnabled(.debug))
            // The number is somebody else's by now, who keeps it when the page is hidden.
            let other = unsafe open("/dev/null", O_RDONLY)
            #expect(dup2(other, number) == number)
            try Winnow.start(.control(.off))
            #expect(fcntl(number, F_GETFD) >= 0)
            #expect(!log.isEnabled(.debug))
        }
    }

    @Test(arguments: [false, true])
    func `a child has a page of its own`(isUntold: Bool) async {
        await #expect(processExitsWith: .success) { [isUntold] in
            try Winnow.start(.control(.on))
            let log = Log("any")
            let child = isUntold ? untoldFork() : fork_()
            if child == 0 {
                let isToldAlone = isUntold || ControlFile.all().count == 1
                try? Winnow.setFilter("debug")
                _ = Log("of the child")
                let isAlone = isToldAlone && ControlFile.all().count == 1
                let page = try? RunningProgram.all(named: "\(getpid())").first?.page
                let isOwn = page?.processID == getpid() && page?.categories.count == 3
                _exit(isOwn && isAlone && log.isEnabled(.debug) ? 0 : 1)
            }
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child)
            #expect(status == 0)
            #expect(!log.isEnabled(.debug))
            let page = try #require(try RunningProgram.all(named: "\(getpid())").first?.page)
            #expect(page.processID == getpid())
            #expect(page.categories.map(\.name) == ["", "any"])
        }
    }

    @Test func `categories that find no room have their levels and names all the same`() async {
        await #expect(processExitsWith: .success) {
            try Winnow.start(.control(.on, filter: "notice,c.16500=debug"))
            let logs = (1...17_000).map { Log("c.\($0)") }
            #expect(logs.enumerated().allSatisfy { $1.category == "c.\($0 + 1)" })
            #expect(logs.filter { $0.isEnabled(.debug) }.map(\.category) == ["c.16500"])
            let page = try #require(try RunningProgram.all(named: "\(getpid())").first?.page)
            #expect(page.categories.count == 16_384)
        }
    }

    @Test func `whatever another process writes, the account is right`() async {
        await #expect(processExitsWith: .success) {
            let memory = Winnow.InMemorySink(capacity: 100_000)
            try Winnow.start(.control(.on, routes: [.sink(memory, name: "memory")]))
            Log("first").notice("before anybody writes")
            let loggers = (0..<4).map { number in
                StartedThread {
                    let log = Log("thread.\(number)")
                    for count in 0..<5_000 {
                        log.notice("record \(count)")
                        if count % 500 == 0 { _ = Log("thread.\(number).\(count)") }
                    }
                }
            }
            let file = try #require(ControlFile.open(O_RDWR))
            for count in 0..<3_000 {
                file.scribble()
                // An order that others have written over, or not.
                if count % 100 == 0 {
                    _ = try? give([.reset, .set("debug", for: nil), .reopen].randomElement()!)
                }
            }
            loggers.forEach { $0.join() }
            #expect(Winnow.flush(deadline: .seconds(300)))
            let status = Winnow.status
            let sink = try #require(status.sinks.first)
            #expect(sink.accepted > 0)
            #expect(sink.accepted == sink.delivered + sink.lostTotal)
            // What the log says of orders is no record of the program's.
            let records = memory.records.filter { $0.category != "winnow" }
            #expect(sink.delivered == UInt64(records.count))
            let names = Set(["first", "thread.0", "thread.1", "thread.2", "thread.3"])
            #expect(records.allSatisfy { names.contains($0.category) })
        }
    }
}
