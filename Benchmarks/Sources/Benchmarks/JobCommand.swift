// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// Does one measuring: what a run calls in a child process.
struct JobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "job", shouldDisplay: false)

    @Argument(help: "The job, in JSON.")
    var job: String

    func run() throws {
        let figures = try JSONDecoder().decode(Job.self, from: Data(job.utf8)).run()
        FileHandle.standardOutput.write(try JSONEncoder().encode(figures))
    }
}
