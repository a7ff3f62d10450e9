// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Logging
internal import Support
internal import Testing
internal import Winnow
internal import WinnowSwiftLog

/// swift-log's statements, where a rule is for some of them or a task has levels of its own.
@Suite(.exclusivePipeline)
struct StatementLevelTests {
    let sink = ScriptedSink()

    @Test func `a rule is for swift-log's statements too`() {
        let logger = Logger(overWinnow: "rules")
        let line = #line + 3
        sink.install(filter: "notice,rules@StatementLevelTests.swift:\(line)=debug,@*~late*=debug")
        logger.debug("no")
        logger.debug("yes")
        logger.debug("late \(1)", metadata: ["n": "1"])
        logger.notice("always")
        #expect(sink.entries.map(\.message) == ["yes", "late 1", "always"])
    }

    @Test func `a task's level is for swift-log's statements too`() async {
        sink.install(filter: "notice")
        let logger = Logger(overWinnow: "task")
        #expect(logger.logLevel == .notice)
        await Log.withLevel(.debug, "task") {
            #expect(logger.logLevel == .trace)
            async let child: Void = logger.debug("raised in a child")
            await child
            Logger(overWinnow: "other").debug("not raised")
        }
        logger.debug("not raised")
        #expect(logger.logLevel == .notice)
        #expect(sink.entries.map(\.message) == ["raised in a child"])
    }
}

#endif
