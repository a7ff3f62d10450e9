// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Certificates that openssl(1) makes for a test: of an authority, a server and a client.
final class Certificates: Sendable {
    static let isPossible =
        RsyslogServer.isInstalled
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")
        && ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"].contains {
            FileManager.default.fileExists(atPath: "\($0)/rsyslog/lmnsd_gtls.so")
        }
    static let reason: Comment = "no openssl or no rsyslog-gnutls installed: run ./Tests/run"

    private let folder: TemporaryFolder

    var authority: String { "\(folder.path)/ca.pem" }
    var server: String { "\(folder.path)/server.pem" }
    var serverKey: String { "\(folder.path)/server.key" }
    var client: String { "\(folder.path)/client.pem" }
    var clientKey: String { "\(folder.path)/client.key" }

    /// Makes them; the server's is for the names, as openssl(1) writes them: `DNS:localhost`.
    init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
        folder = try TemporaryFolder()
        try run(
            ["req", "-x509", "-days", "2", "-subj", "/CN=authority", "-out", authority],
            key: "ca"
        )
        try sign("server", ["-addext", "subjectAltName=\(names)"])
        try sign("client", [])
    }

    private func sign(_ name: String, _ arguments: [String]) throws {
        let request = "\(folder.path)/\(name).csr"
        try run(["req", "-subj", "/CN=\(name)", "-out", request] + arguments, key: name)
        let signed = try Program.run(
            [
                "x509", "-req", "-days", "2", "-in", request, "-CA", authority, "-CAkey",
                "\(folder.path)/ca.key", "-CAcreateserial", "-copy_extensions", "copy", "-out",
                "\(folder.path)/\(name).pem",
            ],
            executable: "/usr/bin/openssl"
        )
        try #require(signed.status == 0, "\(signed.stderr)")
    }

    private func run(_ arguments: [String], key: String) throws {
        let made = try Program.run(
            arguments + [
                "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                "\(folder.path)/\(key).key",
            ],
            executable: "/usr/bin/openssl"
        )
        try #require(made.status == 0, "\(made.stderr)")
    }
}
