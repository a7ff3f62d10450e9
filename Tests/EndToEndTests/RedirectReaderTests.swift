// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Lines that are printed after all, and who reads them.
struct RedirectReaderTests {
    @Test func `lines that nobody reads are counted at the end, and told`() throws {
        let run = try PrintRun([
            "descriptor=unread", "start=text,pass", "lines=50", "pause", "end=15",
        ])
        #expect(run.outcome.status == SIGTERM)
        let told = run.messages.filter { $0.contains("nobody reads the stream any more") }
        let counts = told.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(counts.reduce(0, +) == 50, "\(told)")
    }
}
