// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Job {
    /// The longest that a measuring may take, in seconds: beyond it something hangs.
    private static let patience = 300

    /// Measures in a child process.
    ///
    /// - Throws: ``BenchmarkError`` with what went wrong there.
    func runInChild() throws -> Figures {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = ["job", String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let alarm = DispatchWorkItem { child.terminate() }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .seconds(Self.patience),
            execute: alarm
        )
        let data = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        alarm.cancel()
        guard child.terminationReason == .exit, child.terminationStatus == 0 else {
            throw BenchmarkError("the process ended with status \(child.terminationStatus)")
        }
        return try JSONDecoder().decode(Figures.self, from: data)
    }
}
