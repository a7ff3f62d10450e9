// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support
import Testing
import Winnow
import WinnowPipeline

/// Starts and changes of the filter while the program runs.
@Suite(.exclusivePipeline)
struct FilterChangeTests {
    private let sink = ScriptedSink()

    private func start(_ filter: Filter, _ delivery: Winnow.Delivery = .immediate) throws {
        try Winnow.start(
            .init(
                routes: [.sink(sink, levels: .upTo(.info))],
                filter: filter,
                delivery: delivery,
                environment: .ignored
            )
        )
    }

    @Test(arguments: [Winnow.Delivery.immediate, .deferred()])
    func `a new filter holds for categories that are there and for later ones`(
        delivery: Winnow.Delivery
    ) throws {
        try start("notice", delivery)
        let known = Log("tests.change")
        #expect(!known.isEnabled(.info))
        known.info("before")
        try Winnow.setFilter("error,tests=info")
        #expect(known.isEnabled(.info))
        known.info("known")
        Log("tests.change.later").info("later")
        Log("elsewhere").warning("filtered")
        // The route does not take it.
        known.debug("filtered")
        try Winnow.setFilter("off")
        known.emergency("filtered")
        #expect(Winnow.flush(deadline: .seconds(10)))
        #expect(sink.settledEntries.map(\.message) == ["known", "later"])
    }

    @Test func `the filter that applies can be asked for, and put back`() throws {
        try start("warning,net=debug")
        let before = Winnow.filter
        #expect(before.description == "warning,net=debug")
        try Winnow.setFilter("debug")
        #expect(Winnow.filter.description == "debug")
        try Winnow.setFilter(before)
        #expect(Winnow.filter.description == "warning,net=debug")
        try Winnow.setFilter("info")
        try start("error")
        #expect(Winnow.filter.description == "error")
    }

    @Test func `of a filter with an error nothing applies, and it is told`() throws {
        try start("notice")
        let error = #expect(throws: Winnow.ConfigurationError.self) {
            try Winnow.setFilter("debug,net=debgu")
        }
        #expect(
            error?.description
                == "filter: 'net=debgu': unknown level 'debgu' at character 11; did you mean 'debug'?"
        )
        #expect(Winnow.filter.description == "notice")
    }

    /// What is open of the kinds that a start opens: files, devices and sockets, without numbers.
    ///
    /// libdispatch opens events and timers whenever it likes, and each new thread of Winnow looks at a pipe
    /// for a moment.
    private var openFiles: [String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let files = names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        let kinds = files.map { String($0.prefix { $0 != "[" }) }
        return kinds.filter { $0 != "anon_inode:" && $0 != "pipe:" }.sorted()
    }

    /// In a process of its own, where no other test opens files.
    @Test func `starts leave nothing open of what they replace`() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/winnow-starts-\(getpid())"
            defer { for name in [path, "\(path).2"] { unsafe unlink(name) } }
            let suite = FilterChangeTests()
            var open: [[String]] = []
            for _ in 0..<10 {
                let routes: [Winnow.Route] = [
                    .file(path), .file("\(path).2", rotate: .size(1_000)), .stderr(),
                    .syslog(path: "/nowhere"), .journald(),
                ]
                try Winnow.start(.init(routes: routes, environment: .ignored))
                Log("tests.starts").debug("filtered")
                open.append(suite.openFiles)
            }
            #expect(open.allSatisfy { $0 == open[0] }, "\(open)")
            #expect(open[0].count { $0.hasPrefix(path) } == 2, "\(open[0])")
        }
    }
}
