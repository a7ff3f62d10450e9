// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

struct LevelParsingTests {
    static let spellings: [(text: String, level: Level)] = [
        ("emerg", .emergency), ("panic", .emergency), ("emergency", .emergency), ("0", .emergency),
        ("alert", .alert), ("1", .alert),
        ("crit", .critical), ("critical", .critical), ("2", .critical),
        ("err", .error), ("error", .error), ("3", .error),
        ("warning", .warning), ("warn", .warning), ("4", .warning),
        ("notice", .notice), ("5", .notice),
        ("info", .info), ("6", .info),
        ("debug", .debug), ("trace", .debug), ("7", .debug),
        ("Emergency", .emergency), ("Notice", .notice), ("WARNING", .warning), ("eRr", .error),
    ]

    @Test(arguments: spellings)
    func `a level has its names of syslog, ASL and swift-log, and its number`(
        text: String,
        level: Level
    ) {
        #expect(Level(parsing: text) == level)
    }

    @Test(arguments: ["", " ", "8", "-1", "07", "off", "none", "all", " info", "inf", "debugs"])
    func `what is no single level is refused`(text: String) {
        #expect(Level(parsing: text) == nil)
    }
}
