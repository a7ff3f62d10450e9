// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Winnow
import WinnowCore
import WinnowTesting

/// A folder that is removed with what the tests make in it.
private final class Folder: Sendable {
    let path: String

    init() {
        path = "/tmp/winnow-configuration-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        unsafe mkdir(path, 0o700)
    }

    deinit {
        for name in ["app.log", "link", "fifo"] {
            unsafe unlink("\(path)/\(name)")
        }
        unsafe rmdir(path)
    }
}

/// The text of a file; nil where it cannot be read, or has over 4 KiB.
private func contents(of path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(validating: bytes.prefix(count), as: UTF8.self)
}

private final class OwnSink: Sink {
    func write(_ record: borrowing Record) throws(SinkError) {}
}

struct ConfigurationPlanTests {
    private let folder = Folder()

    private func plan(
        _ configuration: Winnow.Configuration = .init(),
        _ variables: [String: String] = [:],
        streams: StandardStreams = StandardStreams()
    ) throws(Winnow.ConfigurationError) -> ConfigurationPlan {
        try ConfigurationPlan(
            configuration,
            in: Environment(ownNames: Array(variables.keys)) { variables[$0] },
            program: "prog",
            streams: streams
        )
    }

    /// The routes as a text: name, levels, type of the sink, whether there is a fallback.
    private func texts(_ plan: ConfigurationPlan) -> [String] {
        plan.routes.map { route in
            let word = route.isCovered ? "beside" : "else"
            let fallback = route.fallback.map { " \(word) \(type(of: $0))" } ?? ""
            return "\(route.name) \(route.levels) \(type(of: route.sink))\(fallback)"
        }
    }

    @Test
    func `sinks of the program's own with one name are numbered`() throws {
        let routes: [Winnow.Route] = [
            .sink(OwnSink()), .sink(OwnSink(), name: "audit"), .sink(OwnSink()), .stderr(),
            .sink(OwnSink()), .sink(OwnSink(), name: "audit"),
        ]
        let names = try plan(.init(routes: routes)).routes.map(\.name)
        #expect(names == ["OwnSink", "audit", "OwnSink#2", "stderr", "OwnSink#3", "audit#2"])
    }

    private struct ShoutingFormatter: Formatter {
        func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
            buffer.append("\(record.message.uppercased())!\n")
        }
    }

    @Test(arguments: [
        ([:], "HELLO!\n"), (["WINNOW_FORMAT": "pattern:{message}"], "hello\n"),
    ])
    func `a file may have a formatter of the code's, which the environment's format overrides`(
        variables: [String: String],
        text: String
    ) throws {
        let path = "\(folder.path)/app.log"
        let routes: [Winnow.Route] = [.file(path, formatter: ShoutingFormatter())]
        let sink = try #require(try plan(.init(routes: routes), variables).routes.first?.sink)
        try withRecord("hello") { record throws(SinkError) in try sink.write(record) }
        #expect(contents(of: path) == text)
    }

    @Test
    func `more sinks than there can be are told, and no others are left out`() throws {
        let most = (1...62).map { _ in Winnow.Route.sink(OwnSink()) }
        #expect(try plan(.init(routes: most)).routes.count == 62)
        let error = #expect(throws: Winnow.ConfigurationError.self) {
            try plan(.init(routes: most + [.sink(OwnSink())]))
        }
        #expect(error?.problems.map(\.reason) == ["there are more than 62 sinks"])

        let files = (1...63).map { "file:\(folder.path)/none/\($0).log" }.joined(separator: ",")
        let planned = try plan(.init(), ["WINNOW_SINKS": files])
        #expect(planned.routes.count == 62)
        #expect(planned.routes.last?.name == "stderr")
        #expect(planned.problems.filter { $0.reason == "there are more than 62 sinks" }.count == 1)
    }

    @Test
    func `nothing configured is text on stderr`() throws {
        #expect(texts(try plan()) == ["stderr debug StreamSink"])
    }

    @Test
    func `nothing configured under the journal is the journal, or else stderr`() throws {
        var streams = StandardStreams()
        streams.stderr.peerIsJournal = true

        let plan = try plan(streams: streams)
        #expect(texts(plan) == ["journald debug JournalSink else StreamSink"])
    }

    @Test
    func `the configuration of the design is planned`() throws {
        let configuration = Winnow.Configuration(
            identifier: "myapp",
            facility: .daemon,
            routes: [
                .journald(levels: .upTo(.notice)),
                .file("\(folder.path)/app.log", rotate: .size(10 << 20, keep: 5)), .stderr(),
            ],
            filter: "notice,net=debug"
        )
        let plan = try plan(configuration)

        #expect(
            texts(plan) == [
                "journald notice JournalSink beside StreamSink",
                "file:\(folder.path)/app.log debug FileSink",
                "stderr debug StreamSink",
            ]
        )
        #expect(plan.configuration.identifier == "myapp")
        #expect(plan.problems == [])
    }

    @Test
    func `an identifier and a time without meaning are the fault of the code`() {
        let configuration = Winnow.Configuration(
            identifier: "my\napp",
            delivery: .deferred(overflow: .block(upTo: .milliseconds(-5)))
        )
        let error = #expect(throws: Winnow.ConfigurationError.self) { try plan(configuration) }
        #expect(
            error?.description == #"""
                identifier: 'my\u{a}app': an identifier holds no control characters
                delivery: 'block(upTo: -0.005 seconds)': a time is not negative; '.drop' does not wait
                """#
        )
    }

    @Test
    func `a destination that the code names twice is told, and gets its records twice`() throws {
        let file = "\(folder.path)/app.log"
        let twice = try plan(.init(routes: [.file(file), .stderr(), .file(file, levels: .all)]))
        #expect(
            twice.problems.map(\.description) == [
                "routes: 'file:\(file)': it is named twice, and gets records twice"
            ]
        )
        #expect(twice.routes.count == 3)
        let apart = try plan(
            .init(routes: [.file(file, levels: .upTo(.error)), .file(file, levels: [.info])])
        )
        #expect(apart.problems == [])
    }

    @Test
    func `a rotation without meaning is the fault of the code`() {
        let route = Winnow.Route.file("\(folder.path)/app.log", rotate: .size(0))
        #expect(
            throws: Winnow.ConfigurationError.self,
            performing: { try plan(Winnow.Configuration(routes: [route])) }
        )
        do {
            _ = try plan(Winnow.Configuration(routes: [route]))
        } catch {
            #expect("\(error)".contains("the size is at least 1, not 0"))
        }
    }

    @Test
    func `a daemon falls back to stderr unless a route takes its levels there`() throws {
        let routes: [Winnow.Route] = [
            .syslog(levels: .upTo(.error)), .syslog(levels: .upTo(.info)),
            .stderr(levels: .upTo(.warning)), .sink(OwnSink(), levels: .debug),
            .syslog(.tcp("a", port: 1)),
        ]
        #expect(
            texts(try plan(Winnow.Configuration(routes: routes))) == [
                "syslog error SyslogSink beside StreamSink",
                "syslog info SyslogSink else StreamSink",
                "stderr warning StreamSink",
                "OwnSink debug OwnSink",
                "syslog+tcp://a:1 debug NetworkSyslogSink",
            ]
        )
    }

    /// Streams that lead to one place, or each to one of its own.
    private func streams(areOne: Bool) -> StandardStreams {
        var streams = StandardStreams()
        (streams.stdout.device, streams.stdout.inode) = (8, 4711)
        (streams.stderr.device, streams.stderr.inode) = (8, areOne ? 4711 : 4712)
        return streams
    }

    @Test(arguments: [true, false])
    func `stdout and stderr are two sinks, and told where both lead to one place`(
        areOne: Bool
    ) throws {
        let streams = streams(areOne: areOne)
        func problems(_ one: Winnow.Route, _ other: Winnow.Route) throws -> [String] {
            let made = try plan(.init(routes: [one, .syslog(), other]), streams: streams)
            #expect(made.routes.count == 3)
            return made.problems.map(\.description)
        }
        let told = "leads where 'stderr' does, which gets records twice"
        #expect(
            try problems(.stderr(), .stdout()) == (areOne ? ["routes: 'stdout': it \(told)"] : [])
        )
        #expect(try problems(.stderr(levels: .upTo(.error)), .stdout(levels: [.info])) == [])

        let variables = ["WINNOW_SINKS": "stderr,stdout@info", "WINNOW_LOG": "debug"]
        let planned = try plan(.init(), variables, streams: streams)
        #expect(texts(planned) == ["stderr debug StreamSink", "stdout info StreamSink"])
        #expect(
            planned.problems.map(\.description)
                == (areOne ? ["WINNOW_SINKS: 'stdout': it \(told)"] : [])
        )
    }

    @Test(arguments: [(true, "beside"), (false, "else")])
    func `a daemon falls back to stderr although a route takes its levels to stdout`(
        areOne: Bool,
        word: String
    ) throws {
        let routes: [Winnow.Route] = [.syslog(), .stdout()]
        #expect(
            texts(try plan(.init(routes: routes), streams: streams(areOne: areOne))) == [
                "syslog debug SyslogSink \(word) StreamSink", "stdout debug StreamSink",
            ]
        )
    }

    @Test
    func `no two routes share an object`() throws {
        let plan = try plan(Winnow.Configuration(routes: [.journald(), .syslog()]))
        let sinks = plan.routes.flatMap { [$0.sink, $0.fallback].compactMap(\.self) }

        #expect(sinks.count == 4)
        #expect(Set(sinks.map { ObjectIdentifier($0) }).count == 4)
    }

    @Test(arguments: [0, 1, 65_535, -1, Int.max, Int.min])
    func `a queue that cannot be is said`(byteCount: Int) {
        let delivery = Winnow.Delivery.deferred(queueByteCount: byteCount)
        let error = #expect(throws: Winnow.ConfigurationError.self) {
            try plan(Winnow.Configuration(delivery: delivery))
        }
        let words = "delivery: 'queueByteCount: \(byteCount)': a queue has 64K to 1024M"
        #expect(error?.problems.map(\.description) == [words])
    }

    @Test
    func `all that the code got wrong is thrown at once`() throws {
        unsafe symlink("app.log", "\(folder.path)/link")
        unsafe mkfifo("\(folder.path)/fifo", 0o600)
        let configuration = Winnow.Configuration(
            routes: [
                .file("\(folder.path)/missing/app.log"), .file(folder.path),
                .file("\(folder.path)/link"), .file("\(folder.path)/fifo"), .file(""),
                .syslog(path: "/a\0b"), .syslog(.tcp("")), .syslog(.udp("a/b", port: 0)),
                .syslog(.tcp("::1", port: 0)), .syslog(.udp("a"), messageByteCount: 500), .stderr(),
            ],
            filter: "net=debgu"
        )
        let error = #expect(throws: Winnow.ConfigurationError.self) { try plan(configuration) }

        #expect(
            error?.description == """
                filter: 'net=debgu': unknown level 'debgu' at character 5; did you mean 'debug'?
                routes: 'file:\(folder.path)/missing/app.log': cannot be opened: \
                No such file or directory
                routes: 'file:\(folder.path)': is not a regular file
                routes: 'file:\(folder.path)/link': is a symbolic link
                routes: 'file:\(folder.path)/fifo': is not a regular file
                routes: 'file:': a path is missing
                routes: 'syslog:/a\\u{0}b': a path holds no NUL
                routes: 'syslog+tcp://:601': invalid host ''
                routes: 'syslog+udp://a/b:0': invalid host 'a/b'
                routes: 'syslog+tcp://[::1]:0': invalid port '0'
                routes: 'syslog+udp://a:514': invalid messageByteCount 500 (1024 to 131072)
                """
        )
    }

    @Test
    func `patterns of the code that cannot be read are thrown`() {
        let configuration = Winnow.Configuration(
            routes: [
                .stderr(format: .pattern("{time")), .file("\(folder.path)/app.log"),
                .stderr(format: .pattern("{message}")),
            ],
            format: .pattern("ü{tiem} {message}")
        )
        let error = #expect(throws: Winnow.ConfigurationError.self) { try plan(configuration) }

        #expect(
            error?.description == """
                format: 'ü{tiem} {message}': unknown name 'tiem' at character 3; did you mean 'time'?
                routes: '{time': no '}' behind this '{', which is written '{{' at character 1
                """
        )
        #expect(error?.problems.map(\.position) == [3, 1])
    }

    @Test
    func `a pattern is written to a file, with the identifier and without color`() throws {
        let path = "\(folder.path)/app.log"
        var route = Winnow.Route.file(path, format: .pattern("{identifier} {level:>8}: {message}"))
        route.color = .always
        let plan = try plan(Winnow.Configuration(identifier: "myapp", routes: [route]))
        let sink = try #require(plan.routes.first?.sink)
        try withRecord("a\nb", level: .error) { record throws(SinkError) in
            try sink.write(record)
        }
        #expect(contents(of: path) == #"myapp    error: a\nb"# + "\n")
    }

    @Test
    func `a wrong filter is thrown even where the environment overrides it`() {
        let configuration = Winnow.Configuration(filter: "oops")
        #expect(throws: Winnow.ConfigurationError.self) {
            try plan(configuration, ["WINNOW_LOG": "info"])
        }
    }

    @Test
    func `a file of the environment that may be opened later is waited for and told`() throws {
        let missing = "file:\(folder.path)/missing/app.log"
        let problem =
            "WINNOW_SINKS: '\(missing)': cannot be opened: No such file or directory;"
            + " its records wait until it can be"

        let rest = try plan(.init(), ["WINNOW_SINKS": "\(missing)@notice?rotate=1M,syslog@error"])
        #expect(
            texts(rest) == [
                "\(missing) notice FileSink", "syslog error SyslogSink else StreamSink",
            ]
        )
        #expect(
            rest.routes.map(\.failure) == [SinkError(.unavailable, systemError: ENOENT), nil]
        )
        #expect(rest.problems.map(\.description) == [problem])

        // Standard error takes over besides, as nobody would see the log until then.
        let none = try plan(Winnow.Configuration(routes: [.journald()]), ["WINNOW_SINKS": missing])
        #expect(texts(none) == ["\(missing) debug FileSink", "stderr debug StreamSink"])
        #expect(none.problems.map(\.description) == [problem])
    }

    @Test
    func `a file of the environment that no waiting mends is left out and told`() throws {
        unsafe symlink("app.log", "\(folder.path)/link")
        unsafe mkfifo("\(folder.path)/fifo", 0o600)
        let long = String(repeating: "x", count: 300)
        let paths = ["", "/link", "/fifo", "/fifo/app.log", "/\(long)"].map { folder.path + $0 }
        for path in paths {
            let plan = try plan(.init(), ["WINNOW_SINKS": "file:\(path)"])
            #expect(texts(plan) == ["stderr debug StreamSink"])
            #expect(plan.problems.count == 1)
            #expect(plan.problems.allSatisfy { !$0.reason.contains("wait") })
        }
    }

    @Test(arguments: [
        ("/dev/stdout", "stdout", ".stdout()"), ("/dev/fd/2", "stderr", ".stderr()"),
        ("/proc/self/fd/1", "stdout", ".stdout()"), ("/dev/log", "syslog", ".syslog()"),
        ("/dev/null", "WINNOW_LOG=off", #"filter: "off""#),
    ])
    func `a path that is no file's is told with the sink that leads there`(
        path: String,
        sink: String,
        route: String
    ) throws {
        let isThere = unsafe access(path, F_OK) == 0
        let plan = try plan(.init(), ["WINNOW_SINKS": "file:\(path)"])
        #expect(plan.problems.map(\.suggestion) == [sink])
        let error = #expect(throws: Winnow.ConfigurationError.self) {
            try self.plan(Winnow.Configuration(routes: [.file(path)]))
        }
        #expect(error?.problems.map(\.suggestion) == [route])
        // No file was made in its place.
        #expect(unsafe (access(path, F_OK) == 0) == isThere)
    }

    @Test
    func `a link that would be in the way of old files is refused at the start`() {
        let path = "\(folder.path)/app.log"
        let rotation = FileRotation(size: 1_024, link: "app.log.1")
        let error = #expect(throws: Winnow.ConfigurationError.self) {
            try plan(Winnow.Configuration(routes: [.file(path, rotate: rotation)]))
        }
        let reason = #"the link has a name of the log's files, "app.log.1""#
        #expect(error?.problems.map(\.reason) == [reason])
    }

    @Test
    func `a route that the environment replaces is not opened`() throws {
        let configuration = Winnow.Configuration(routes: [.file("\(folder.path)/missing/app.log")])
        let plan = try plan(configuration, ["WINNOW_SINKS": "stderr"])

        #expect(texts(plan) == ["stderr debug StreamSink"])
    }

    @Test
    func `the process itself can be planned`() {
        let plan = ConfigurationPlan.ofProcess()

        #expect(!plan.routes.isEmpty)
        #expect(!plan.configuration.identifier.isEmpty)
    }
}
