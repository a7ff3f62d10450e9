// SPDX-License-Identifier: Apache-2.0

// Shows what becomes of what others print: the program has one line for standard output, for another
// program to read, and three modules and a child process that print as well.
//
// With `--rules` their lines are logged or dropped, by the rules below. Without it `WINNOW_REDIRECT`
// may say what becomes of them.

import Foundation
import NoisyCodec
import NoisyNet
import NoisyRender
import Winnow

@main
struct Quiet {
    static let log = Log("quiet")

    static func main() async throws {
        if CommandLine.arguments.contains("--rules") { try applyRules() }
        log.notice("started")
        await NoisyNet.connect()
        NoisyNet.warmUp()
        noisy_codec_decode(2)
        noisy_render_frames(2)
        try runThumbnailer()
        print(#"{"frames": 2}"#)
    }

    /// The first rule that a line meets decides; what meets none is printed as ever.
    static func applyRules() throws {
        try Redirect.start(
            rules: [
                .contains("deprecated", .drop),
                .origin("NoisyCodec", .log(.debug)),
                .origin("Noisy*", .logParsed(otherwise: .info)),
                .descriptor(.log(.notice, category: "thumbnailer")),
            ],
            options: [.stdoutDescriptor]
        )
    }

    /// Runs a child, whose output no hook of this process sees.
    static func runThumbnailer() throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "echo 'thumbnailer: 2 thumbnails written'"]
        try child.run()
        child.waitUntilExit()
    }
}
