// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

struct SuggestionTests {
    static let words = ["debug", "warning", "warn", "notice", "off", "7"]

    static let near: [(typed: String, meant: String)] = [
        ("debgu", "debug"), ("dbug", "debug"), ("debugg", "debug"), ("DEBUGG", "debug"),
        ("wrning", "warning"), ("wran", "warn"), ("nitce", "notice"), ("of", "off"),
        ("debug", "debug"),
    ]

    @Test(arguments: near)
    func `the nearest word is suggested`(typed: String, meant: String) {
        #expect(Suggestion.nearest(to: typed, among: SuggestionTests.words) == meant)
    }

    @Test(arguments: ["", "8", "verbose", "net", "dgubes", "o", "notification"])
    func `what is near to nothing has no suggestion`(typed: String) {
        #expect(Suggestion.nearest(to: typed, among: SuggestionTests.words) == nil)
    }

    @Test
    func `a long word may have an error for every three characters`() {
        let words = ["WINNOW_IDENTIFIER"]
        #expect(Suggestion.nearest(to: "WINOW_IDENTFYER", among: words) == "WINNOW_IDENTIFIER")
    }

    @Test
    func `of words that are equally near the first is suggested`() {
        #expect(Suggestion.nearest(to: "cat", among: ["bat", "hat"]) == "bat")
    }

    @Test
    func `a word of more than 64 characters is not compared`() {
        let long = String(repeating: "a", count: 65)
        #expect(Suggestion.nearest(to: long, among: [long]) == nil)
    }
}
