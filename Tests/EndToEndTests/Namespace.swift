// SPDX-License-Identifier: Apache-2.0

/// Mount namespaces, in which a test may hide a journald from its program.
enum Namespace {
    static let isAllowed =
        (try? Program.run(
            ["-m", "mount", "-t", "tmpfs", "none", "/mnt"],
            executable: "/usr/bin/unshare"
        ))?.status == 0
}
