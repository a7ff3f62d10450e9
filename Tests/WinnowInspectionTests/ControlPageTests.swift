// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Testing
import WinnowCore
import WinnowInspection

/// What the tool reads of a page, whose bytes are whatever somebody has written there.
@Suite(.timeLimit(.minutes(30)))
struct ControlPageTests {
    /// A page with the categories "" at notice, "net" at debug and "db" off.
    private static func makePage() -> [UInt8] {
        var page = [UInt8](repeating: 0, count: Int(cwinnow_control_size))
        page.put(Array(CWINNOW_CONTROL_MAGIC.utf8), at: 0)
        page.put(CWINNOW_CONTROL_VERSION, at: 8)
        page.put(UInt32(cwinnow_control_size), at: 12)
        page.put(UInt32(812), at: 16)
        page.put(UInt32(0x9F3C_01AA), at: 20)
        page.put(UInt64(1_795_253_415_000_000_000), at: 24)
        page.put(UInt32(6), at: 32)
        page.put(UInt32(3), at: 36)
        page.put(UInt32(5), at: 40)
        page.put(Array("myapp".utf8), at: 44)
        let names = Int(cwinnow_control_names_offset)
        page.put(Array("netdb".utf8), at: names)
        page.putCell(0, held: 0x1C0, name: 0, 0)
        page.putCell(1, held: 0x100, name: names, 3)
        page.putCell(2, held: 0x1FF, name: names + 3, 2)
        return page
    }

    @Test func `a page is read as it is written`() throws {
        let page = try ControlPage(Self.makePage())
        #expect(page.processID == 812)
        #expect(page.run == 0x9F3C_01AA)
        #expect(page.began == 1_795_253_415_000_000_000)
        #expect(page.floor == .info)
        #expect(page.identifier == "myapp")
        let categories = page.categories.map { "\($0.name)=\($0.levels)" }
        #expect(categories == ["=notice", "db=off", "net=debug"])
    }

    @Test func `what contradicts itself is left out`() throws {
        var page = Self.makePage()
        page.put(UInt32.max, at: 40)
        page.putCell(1, held: 0, name: Int(cwinnow_control_size) - 2, 3)
        page.putCell(2, held: 0, name: 4, 2)
        let read = try ControlPage(page)
        #expect(read.identifier.utf8.count == 212)
        #expect(read.categories.map(\.name) == [""])
    }

    @Test func `no more cells are read than there can be`() throws {
        var page = Self.makePage()
        page.put(UInt32.max, at: 36)
        #expect(try ControlPage(page).categories.map(\.name) == ["", "db", "net"])
    }

    @Test func `no more names are read than there is room for`() throws {
        var page = Self.makePage()
        let (names, size) = (Int(cwinnow_control_names_offset), 768 * 1_024)
        page.put(UInt32(16_384), at: 36)
        for index in 1..<16_384 { page.putCell(index, held: 0, name: names, UInt32(size / 2)) }
        let read = try ControlPage(page)
        #expect(read.categories.map(\.name.utf8.count) == [0, size / 2, size / 2])
    }

    @Test(arguments: [0, 100, 70_000])
    func `a page that ends early is told`(size: Int) {
        #expect(throws: InspectionProblem.self) {
            try ControlPage(Array(Self.makePage().prefix(size)))
        }
    }

    @Test func `neither another file nor another version is read`() {
        for offset in [0, 8] {
            var page = Self.makePage()
            page[offset] &+= 1
            #expect(throws: InspectionProblem.self) { try ControlPage(page) }
        }
    }

    @Test func `what others have set is read, and the levels that hold for a time`() throws {
        var page = Self.makePage()
        page.putState(sequence: 4, filter: "notice,db=off", turned: "net=debug", end: 77)
        // One that looks what time it is, and one that has not looked for the last order yet.
        page.putCell(1, held: 0x100, name: Int(cwinnow_control_names_offset), 3, closer: 0x1F0)
        page.putCell(2, held: 0, name: Int(cwinnow_control_names_offset) + 3, 2, closer: 0x200)
        let read = try ControlPage(page)
        #expect(read.state.filter == "notice,db=off")
        #expect(read.state.taken == .upTo(.info))
        let turn = try #require(read.state.turn)
        #expect(turn.filter == "net=debug" && turn.end == 77)
        #expect(turn.userID == 1_000 && turn.processID == 4_242)
        let categories = read.categories.map { "\($0.name)=\($0.levels)" }
        #expect(categories == ["=notice", "db=off", "net=warning|notice|info|debug"])
        page.putState(sequence: 4, filter: "notice", turned: "debug", end: .max)
        #expect(try ControlPage(page).state.turn?.end == nil)
        page.put(UInt32(0), at: Int(cwinnow_control_state_offset) + 12)
        #expect(try ControlPage(page).state.turn == nil)
    }

    @Test func `the accounts of sinks are read, no more of them than there can be`() throws {
        var page = Self.makePage()
        #expect(try ControlPage(page).accounts == nil)
        let place = Int(cwinnow_control_accounts_offset)
        page.put(UInt64(77), at: place + 8)
        page.put(UInt64(12), at: place + 16)
        let sinks = place + 24 + 512
        for (index, number) in [UInt64(12), 9, 2, 1].enumerated() {
            page.put(number, at: sinks + index * 8)
        }
        page.put(UInt32(0x3F), at: sinks + 32)
        page.put(UInt32(4), at: sinks + 36)
        page.put(Array("file".utf8), at: sinks + 48)
        page.put(UInt32(1), at: place + 4)
        let accounts = try #require(try ControlPage(page).accounts)
        #expect(accounts.time == 77 && accounts.accepted == 12)
        let sink = try #require(accounts.sinks.first)
        #expect(sink.name == "file" && sink.failure == nil && sink.levels == .upTo(.notice))
        #expect([sink.accepted, sink.delivered, sink.queued, sink.lost] == [12, 9, 2, 1])
        page.put(UInt32.max, at: place + 4)
        page.put(UInt32.max, at: sinks + 36)
        page.put(UInt32.max, at: sinks + 40)
        let many = try #require(try ControlPage(page).accounts).sinks
        #expect(many.count == 62 && many[0].name.utf8.count == 120)
        #expect(many[0].failure?.utf8.count == 120)
    }

    @Test(arguments: [
        ("net=notice", [String]()), ("nett=notice", ["no category has matched 'nett=notice'"]),
        ("info|debug", ["its build has no statements at debug", "no sink of it takes info"]),
    ])
    func `what a filter cannot bring about is told`(filter: String, told: [String]) throws {
        var page = Self.makePage()
        page.putState(sequence: 4, filter: "notice", turned: "", end: 0, taken: 0x3F)
        let limits = try ControlPage(page).limits(of: Filter(filter))
        #expect(limits.count == told.count)
        for (limit, text) in zip(limits, told) { #expect(limit.hasPrefix(text)) }
    }

    @Test func `any bytes are read to an end`() {
        let page = Self.makePage()
        let begin = Int(cwinnow_control_cells_offset)
        for _ in 0..<500 {
            var changed = page
            let state = Int(cwinnow_control_state_offset)
            let accounts = Int(cwinnow_control_accounts_offset)
            for range in [
                8..<256, begin..<begin + 48, state..<state + 40, accounts..<accounts + 99,
            ] {
                for _ in 0..<8 { changed[Int.random(in: range)] = .random(in: 0...255) }
            }
            guard let read = try? ControlPage(changed) else { continue }
            #expect(read.categories.count <= 16_384)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ bytes: [UInt8], at offset: Int) {
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    fileprivate mutating func put(_ number: some FixedWidthInteger, at offset: Int) {
        let bytes = (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        put(bytes, at: offset)
    }

    fileprivate mutating func putCell(
        _ index: Int,
        held: UInt32,
        name offset: Int,
        _ length: UInt32,
        closer: UInt32 = 0
    ) {
        let place = Int(cwinnow_control_cells_offset) + index * 16
        put(held, at: place)
        put(closer, at: place + 4)
        put(UInt32(offset), at: place + 8)
        put(length, at: place + 12)
    }

    fileprivate mutating func putState(
        sequence: UInt32,
        filter: String,
        turned: String,
        end: UInt64,
        taken: UInt32 = 0x7F
    ) {
        let place = Int(cwinnow_control_state_offset)
        let words: [UInt32] = [
            sequence, taken, UInt32(filter.utf8.count), 1, 1_000, 4_242,
        ]
        for (index, word) in words.enumerated() { put(word, at: place + index * 4) }
        put(end, at: place + 24)
        put(UInt32(turned.utf8.count), at: place + 32)
        put(Array(filter.utf8), at: place + 40)
        put(Array(turned.utf8), at: place + 2_040)
    }
}
