// SPDX-License-Identifier: Apache-2.0

import Testing
import Winnow

struct ConfigurationDefaultRoutesTests {
    static func facts(_ change: (inout StandardErrorFacts) -> Void) -> StandardErrorFacts {
        var facts = StandardErrorFacts()
        facts.device = 8
        facts.inode = 4711
        change(&facts)
        return facts
    }

    static let choices: [(facts: StandardErrorFacts, choice: DefaultRoute)] = [
        (facts { _ in }, .text),
        (facts { $0.isTerminal = true }, .coloredText),
        (facts { ($0.isTerminal, $0.terminalType) = (true, "xterm") }, .coloredText),
        (facts { ($0.isTerminal, $0.terminalType) = (true, "dumb") }, .text),
        (facts { $0.journalStream = "8:4711" }, .journald),
        (facts { $0.journalStream = "8:4712" }, .text),
        (facts { $0.journalStream = "9:4711" }, .text),
        (facts { $0.journalStream = "84711" }, .text),
        (facts { $0.journalStream = "8:4711:" }, .text),
        (facts { ($0.journalStream, $0.inode) = ("8:4711", nil) }, .text),
        (facts { $0.peerIsJournal = true }, .journald),
        // A shell in a unit that sets JOURNAL_STREAM, on a terminal of its own.
        (facts { ($0.journalStream, $0.isTerminal) = ("8:1", true) }, .coloredText),
    ]

    @Test(arguments: choices)
    func `the default goes to the journal, to the terminal, or to stderr`(
        facts: StandardErrorFacts,
        choice: DefaultRoute
    ) {
        #expect(DefaultRoute.choose(for: facts) == choice)
    }

    static let colors: [(color: Winnow.Color, isTerminal: Bool, choice: DefaultRoute)] = [
        (.always, false, .coloredText), (.always, true, .coloredText),
        (.never, false, .text), (.never, true, .text),
        (.auto, false, .text), (.auto, true, .coloredText),
    ]

    @Test(arguments: colors)
    func `the variables of colour decide before the terminal does`(
        color: Winnow.Color,
        isTerminal: Bool,
        choice: DefaultRoute
    ) {
        let facts = ConfigurationDefaultRoutesTests.facts { $0.isTerminal = isTerminal }
        #expect(DefaultRoute.choose(for: facts, color: color) == choice)
    }

    @Test
    func `the facts are those of descriptor 2`() {
        let facts = StandardErrorFacts(
            of: Environment { ["JOURNAL_STREAM": "1:2", "TERM": "vt100"][$0] }
        )

        #expect(facts.journalStream == "1:2")
        #expect(facts.terminalType == "vt100")
        #expect(facts.inode != nil)
    }
}
