// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowInspection

/// How a command writes what it has found.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json

    /// Writes one of the two to standard output.
    ///
    /// - Throws: Exit status 2 if it cannot be written, which it complains of.
    func write(text: @autoclosure () -> String, json: @autoclosure () -> String) throws {
        if let failure = StandardStream.output.write(self == .json ? json() : text()) {
            StandardStream.complain(of: "standard output", "cannot be written (\(failure))")
            throw ExitCode(2)
        }
    }
}
