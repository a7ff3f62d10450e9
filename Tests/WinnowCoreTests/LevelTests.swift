// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

struct LevelTests {
    @Test(arguments: zip(Level.allCases, [0, 1, 2, 3, 4, 5, 6, 7] as [UInt8]))
    func `raw values are the codes of RFC 5424`(level: Level, code: UInt8) {
        #expect(level.rawValue == code)
    }

    @Test
    func `more severe is smaller`() {
        #expect(Level.error < .debug)
        #expect(Level.allCases.sorted() == Level.allCases)
    }

    @Test(
        arguments: zip(
            Level.allCases,
            ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"]
        )
    )
    func `names are those of filters`(level: Level, name: String) {
        #expect(level.description == name)
    }

    @Test(
        arguments: zip(Level.allCases, [0x01, 0x03, 0x07, 0x0F, 0x1F, 0x3F, 0x7F, 0xFF] as [UInt8])
    )
    func `sets up to a level are the masks of ASL`(level: Level, mask: UInt8) {
        #expect(LevelSet.upTo(level).rawValue == mask)
        #expect(LevelSet.upTo(level).contains(level))
    }

    @Test
    func `sets are written as in a filter`() {
        #expect(LevelSet.upTo(.notice).description == "notice")
        #expect(LevelSet([.error, .debug]).description == "error|debug")
        #expect(LevelSet([]).description == "off")
        #expect(LevelSet.all.description == "debug")
    }
}
