// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A journald that is not there, or that takes nothing: in a mount namespace of the test's own.
@Suite(.enabled(if: Namespace.isAllowed, "mount namespaces need root: run ./Tests/run as root"))
struct AbsentJournalTests {
    /// Runs the program where `/run/systemd/journal` is a folder that the script has prepared.
    private func run(_ tasks: [String], preparation: String = ":") throws -> Program.Outcome {
        let script = """
            mount --make-rprivate /
            mkdir -p /run/systemd/journal
            mount -t tmpfs none /run/systemd/journal
            \(preparation)
            "$@"
            status=$?
            kill $! 2>/dev/null
            exit $status
            """
        return try Program.run(
            ["-m", "sh", "-c", script, "sh", Program.path] + tasks,
            environment: ["WINNOW_SINKS": "journald", "WINNOW_LOG": "debug"],
            executable: "/usr/bin/unshare"
        )
    }

    /// A listener that never reads, or one that has gone and left its file.
    private func listener(_ end: String) -> String {
        """
        python3 -c '
        import socket, sys, time
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind("/run/systemd/journal/socket")
        open("/run/systemd/journal/ready", "w").close()
        \(end)' &
        while [ ! -e /run/systemd/journal/ready ]; do sleep 0.01; done
        """
    }

    @Test
    func `without a journald records go to standard error, and that is said once`() throws {
        let outcome = try run(["levels", "levels"])
        #expect(outcome.status == 0)
        let own = outcome.log.filter { $0.contains("[winnow]") }
        #expect(own.count == 1)
        #expect(own.first?.contains("journald is not there (No such file or directory)") == true)
        #expect(outcome.log.filter { $0.contains("] level ") }.count == 16)
        #expect(outcome.account("journald", "delivered") == 16)
        #expect(outcome.account("journald", "diverted") == 16)
    }

    @Test
    func `a socket that nobody listens at is the same`() throws {
        let outcome = try run(["levels"], preparation: listener("s.close()") + "\nwait")
        let own = outcome.log.filter { $0.contains("[winnow]") }
        #expect(own.count == 1)
        #expect(own.first?.contains("Connection refused") == true)
        #expect(outcome.account("journald", "accepted") == 8)
        #expect(outcome.account("journald", "delivered") == 8)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a journald that never reads keeps nobody, and the account adds up`() throws {
        let outcome = try run(["threads=8,5000"], preparation: listener("time.sleep(50)"))
        #expect(outcome.status == 0)
        let accepted = outcome.account("journald", "accepted") ?? 0
        let delivered = outcome.account("journald", "delivered") ?? 0
        let queued = outcome.account("journald", "queued") ?? 0
        let lost = outcome.account("journald", "lost") ?? 0
        #expect(accepted == 40_000)
        #expect(delivered > 0)
        #expect(accepted == delivered + queued + lost)
        // At exit nobody is left to be told but standard error.
        #expect(outcome.log.contains { $0.hasPrefix("winnow: journald: lost ") })
    }
}
