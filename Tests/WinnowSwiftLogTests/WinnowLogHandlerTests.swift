// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Logging
internal import Support
internal import Testing
internal import Winnow
internal import WinnowSwiftLog

@Suite(.exclusivePipeline)
struct WinnowLogHandlerTests {
    let sink = ScriptedSink()

    @Test
    func `the label becomes the category and the text the message`() {
        sink.install()
        Logger(overWinnow: "org.example.net").error("100 % of \("it")")
        #expect(sink.entries.first?.category == "org.example.net")
        #expect(sink.entries.first?.level == .error)
        #expect(sink.entries.first?.message == "100 % of it")
        #expect(sink.entries.first?.fields == [])
    }

    @Test
    func `the location is that of the call`() {
        sink.install()
        Logger(overWinnow: "location").notice("here"); let line = #line
        let location = sink.entries.first?.location
        #expect(location?.fileID == "WinnowSwiftLogTests/WinnowLogHandlerTests.swift")
        #expect(location?.module == "WinnowSwiftLogTests")
        #expect(location?.function == "the location is that of the call()")
        #expect(location?.line == UInt32(line))
    }

    @Test
    func `the call's metadata win over the provider's and those over the logger's`() {
        sink.install()
        let provider = Logger.MetadataProvider { ["b": "provider", "c": "provider"] }
        var logger = Logger(overWinnow: "order", provider: provider)
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "b"] = "logger"
        logger[metadataKey: "c"] = "logger"
        logger.notice("m", metadata: ["c": "call"])
        #expect(
            sink.entries.first?.fields == [
                Field("a", "logger"), Field("b", "provider"), Field("c", "call"),
            ]
        )
    }

    @Test
    func `a source that is not the module becomes a field`() {
        sink.install()
        let logger = Logger(overWinnow: "source")
        logger.notice("m", source: "WinnowSwiftLogTests")
        logger.notice("m", metadata: ["a": "1"], source: "Elsewhere")
        #expect(
            sink.entries.map(\.fields) == [[], [Field("a", "1"), Field("source", "Elsewhere")]]
        )
    }

    /// As a handler of swift-log before 1.7 hands it on.
    @Test
    @available(*, deprecated)
    func `a source that an older handler hands on is kept`() {
        sink.install()
        WinnowLogHandler(label: "older").log(
            level: .notice,
            message: "m",
            metadata: ["a": "1"],
            source: "Elsewhere",
            file: "Module/File.swift",
            function: "f()",
            line: 7
        )
        #expect(
            sink.entries.map(\.fields) == [[Field("a", "1"), Field("source", "Elsewhere")]]
        )
    }

    @Test
    func `an error ends the message and is a field`() {
        struct Failure: Error {}
        sink.install()
        let logger = Logger(overWinnow: "error")
        logger.error("request failed", error: Failure(), metadata: ["path": "/"])
        #expect(sink.entries.first?.message == "request failed: Failure()")
        #expect(
            sink.entries.first?.fields == [Field("error", "Failure()"), Field("path", "/")]
        )
    }

    @Test
    func `the process's one bootstrap takes the handler`() {
        sink.install()
        LoggingSystem.bootstrap(
            WinnowLogHandler.init(label:metadataProvider:),
            metadataProvider: Logger.MetadataProvider { ["trace": "1"] }
        )
        Logger(label: "bootstrapped").notice("m")
        #expect(sink.entries.map(\.category) == ["bootstrapped"])
        #expect(sink.entries.first?.fields == [Field("trace", "1")])
    }

    @Test
    func `a logger of the task logs with the task's metadata`() {
        sink.install()
        withLogger(Logger(overWinnow: "task")) { _ in
            withLogger(mergingMetadata: ["request.id": "7"]) { logger in logger.notice("m") }
        }
        #expect(sink.entries.first?.fields == [Field("request.id", "7")])
    }

    @Test
    func `handlers side by side each keep their own level`() {
        sink.install()
        let logger = Logger(label: "multiplex") { label in
            var strict = WinnowLogHandler(label: label + ".strict")
            strict.logLevel = .error
            return MultiplexLogHandler([strict, WinnowLogHandler(label: label)])
        }
        logger.notice("1")
        logger.error("2")
        #expect(
            sink.entries.map(\.category) == ["multiplex", "multiplex.strict", "multiplex"]
        )
    }
}

#endif
