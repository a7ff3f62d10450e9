// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Winnow

struct ConfigurationDefaultRoutesTests {
    static func facts(_ change: (inout StreamFacts) -> Void) -> StreamFacts {
        var facts = StreamFacts()
        facts.device = 8
        facts.inode = 4711
        change(&facts)
        return facts
    }

    static let choices: [(facts: StreamFacts, choice: DefaultRoute)] = [
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
        facts: StreamFacts,
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
    func `the variables of color decide before the terminal does`(
        color: Winnow.Color,
        isTerminal: Bool,
        choice: DefaultRoute
    ) {
        let facts = ConfigurationDefaultRoutesTests.facts { $0.isTerminal = isTerminal }
        #expect(DefaultRoute.choose(for: facts, color: color) == choice)
    }

    @Test(arguments: [StandardStream.stdout, .stderr])
    func `the facts of a stream are those of its descriptor`(stream: StandardStream) {
        let streams = StandardStreams(
            of: Environment { ["JOURNAL_STREAM": "1:2", "TERM": "vt100"][$0] }
        )
        let facts = streams[stream]
        var status = stat()
        unsafe fstat(stream == .stdout ? 1 : 2, &status)

        #expect(facts.journalStream == "1:2")
        #expect(facts.terminalType == "vt100")
        #expect(facts.device == UInt64(status.st_dev))
        #expect(facts.inode == UInt64(status.st_ino))
    }
}
