// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Logging
internal import Support
internal import Testing
internal import Winnow
internal import WinnowSwiftLog

struct LevelTests {
    @Test(
        arguments: zip(
            Logger.Level.allCases,
            [.debug, .debug, .info, .notice, .warning, .error, .critical] as [Level]
        )
    )
    func `each of swift-log's levels has one of Winnow's`(theirs: Logger.Level, ours: Level) {
        #expect(Level(theirs) == ours)
    }

    @Test(
        arguments: zip(
            Level.allCases,
            [.critical, .critical, .critical, .error, .warning, .notice, .info, .debug]
                as [Logger.Level]
        )
    )
    func `each of Winnow's levels has one of swift-log's`(ours: Level, theirs: Logger.Level) {
        #expect(Logger.Level(ours) == theirs)
    }
}

#endif
