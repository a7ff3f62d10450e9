// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A reader of standard error that begins only when the program has ended, as a pager may.
struct LateReaderTests {
    private func lines(_ task: String, _ delivery: String, seconds: String) throws -> [String] {
        let outcome = try Program.run(
            ["-c", "'\(Program.path)' \(task) no-status 2>&1 | { sleep \(seconds); cat; }"],
            environment: [
                "WINNOW_DELIVERY": delivery, "WINNOW_SINKS": "stderr",
                // What becomes of a full ring on a busy machine is another matter.
                "WINNOW_OVERFLOW": "block=10s",
            ],
            executable: "/bin/sh"
        )
        return outcome.stdout.split(separator: "\n").map(String.init)
    }

    @Test(arguments: ["immediate", "deferred"])
    func `it gets what no pipe of the usual size has room for`(delivery: String) throws {
        let lines = try lines("burst=5000", delivery, seconds: "4")
        #expect(lines.count == 5_000)
        #expect(lines.last?.hasSuffix("[program] 4999") == true, "\(lines.last ?? "")")
    }

    @Test(arguments: ["immediate", "deferred"])
    func `it is told of what is lost`(delivery: String) throws {
        let lines = try lines("warnings=4000", delivery, seconds: "5")
        let reports = lines.filter { $0.contains("the program ended") }
        let counts = reports.compactMap { report in
            report.firstRange(of: "lost ").flatMap {
                Int(report[$0.upperBound...].prefix { $0 != " " })
            }
        }
        let delivered = lines.count { $0.hasPrefix("20") && $0.contains(" warning [program] ") }
        #expect(delivered + counts.reduce(0, +) == 4_000, "\(reports)")
        #expect(delivered > 300)
    }
}
