// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Logging
internal import Support
internal import Testing
internal import Winnow
internal import WinnowSwiftLog

@Suite(.exclusivePipeline)
struct LogLevelTests {
    let sink = ScriptedSink()

    @Test(
        arguments: zip(
            [.all, .upTo(.info), .upTo(.notice), .upTo(.error), .alert, [], [.error, .debug]]
                as [LevelSet],
            [.trace, .info, .notice, .error, .critical, .critical, .trace] as [Logger.Level]
        )
    )
    func `the level of a logger is that of the filter`(levels: LevelSet, expected: Logger.Level) {
        sink.install(filter: "\(levels)")
        #expect(Logger(overWinnow: "level.filter").logLevel == expected)
    }

    @Test
    func `the filter decides by label`() {
        sink.install(filter: "warning,level.loud=debug")
        let quiet = Logger(overWinnow: "level.quiet")
        let loud = Logger(overWinnow: "level.loud")
        quiet.notice("1")
        loud.trace("2")
        quiet.warning("3")
        #expect(sink.entries.map(\.message) == ["2", "3"])
    }

    @Test
    func `a set with gaps lets through just what it holds`() {
        sink.install(filter: "error|debug")
        let logger = Logger(overWinnow: "level.gaps")
        for level in Logger.Level.allCases { logger.log(level: level, "\(level)") }
        #expect(sink.entries.map(\.message) == ["trace", "debug", "error"])
    }

    @Test
    func `a logger follows a change of the filter`() {
        sink.install(filter: "error")
        let logger = Logger(overWinnow: "level.later")
        logger.info("before")
        sink.install()
        logger.info("after")
        #expect(sink.entries.map(\.message) == ["after"])
    }

    @Test
    func `what is filtered is not evaluated`() {
        let evaluations = Counter()
        sink.install(filter: "notice")
        let logger = Logger(overWinnow: "level.lazy")
        logger.info("\(evaluations.increment())", metadata: ["n": "\(evaluations.increment())"])
        #expect(evaluations.value == 0)
        logger.notice("\(evaluations.increment())", metadata: ["n": "\(evaluations.increment())"])
        #expect(evaluations.value == 2)
    }

    @Test
    func `a level that was set silences more`() {
        sink.install()
        var logger = Logger(overWinnow: "level.set")
        logger.logLevel = .error
        logger.warning("1")
        logger.error("2")
        #expect(logger.logLevel == .error)
        #expect(sink.entries.map(\.message) == ["2"])
    }

    @Test
    func `a level that was set does not open what the filter closes`() {
        sink.install(filter: "error")
        var logger = Logger(overWinnow: "level.closed")
        logger.logLevel = .trace
        logger.warning("1")
        logger.error("2")
        #expect(logger.logLevel == .error)
        #expect(sink.entries.map(\.message) == ["2"])
    }

    @Test
    func `level and metadata of one logger concern no other`() {
        sink.install()
        var first = Logger(overWinnow: "level.value")
        first.logLevel = .debug
        first[metadataKey: "only-on"] = "first"
        var second = first
        second.logLevel = .error
        second[metadataKey: "only-on"] = "second"
        #expect(first.logLevel == .debug)
        #expect(second.logLevel == .error)
        #expect(first[metadataKey: "only-on"] == "first")
        #expect(second[metadataKey: "only-on"] == "second")
    }
}

#endif
