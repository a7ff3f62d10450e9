// SPDX-License-Identifier: Apache-2.0

// Shows a sink and a formatter of one's own: `AgentSink` sends records to an agent on this machine, as
// `LineFormatter` writes them.
//
// With `--check` it runs both through the laws of `Sink` and `Formatter`, as a test would. Without
// it the program logs to the agent, whose end it plays as well, while that is there, away, and
// back.

import Winnow
import WinnowTesting

@main
struct OwnSink {
    static func main() async throws {
        if CommandLine.arguments.contains("--check") {
            try await check()
        } else {
            try log()
        }
    }

    static func log() throws {
        let agent = try Agent()
        try Winnow.start(.init(routes: [.sink(AgentSink(path: agent.path))], environment: .ignored))
        let log = Log("net")
        log.notice("connected", ("peer", "192.0.2.1"))
        agent.stop()
        log.warning("the cache is\ncold", ("entries", 0))
        print(Winnow.status)
        try agent.start()
        Winnow.flush(deadline: .seconds(5))
        for line in agent.received { print(String(decoding: line, as: UTF8.self)) }
        print(Winnow.status)
    }

    /// The agent can be away, and is here; how it would stall or move, nobody has said.
    static func check() async throws {
        try FormatterConformance(LineFormatter()).run().verify()
        let conformance = SinkConformance {
            let agent = try Agent()
            var subject = SinkConformance.Subject(AgentSink(path: agent.path))
            subject.delivered = { agent.received }
            subject.outage = .init(.unavailable, begin: agent.stop, end: agent.start)
            subject.wholeByteCount = 32 * 1_024
            return subject
        }
        let report = await conformance.run()
        print(report)
        try report.verify(unchecked: [.boundedTime, .relocation])
    }
}
