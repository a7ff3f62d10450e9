// SPDX-License-Identifier: Apache-2.0

@unsafe @preconcurrency import Foundation

/// The ways in which Swift code prints, each by its name.
public enum NoisyRoute: String, CaseIterable, Sendable {
    case print
    case printParts = "print parts"
    case debugPrint
    case dump
    case printToStream = "print to: stderr"
    case nsLog = "NSLog stderr"
    case standardOutput = "FileHandle"
    case standardError = "FileHandle stderr"
    case process = "Process"

    /// Prints a line of the text, and whatever the function puts around it.
    public func print(_ text: String) {
        switch self {
        case .print: Swift.print(text)
        case .printParts: Swift.print(text, 1, true, separator: "-", terminator: "\n")
        case .debugPrint: Swift.debugPrint(text)
        case .dump: Swift.dump(text)
        case .printToStream:
            var stream = StandardError()
            Swift.print(text, to: &stream)
        case .nsLog: NSLog("%@", text)
        case .standardOutput: FileHandle.standardOutput.write(Data("\(text)\n".utf8))
        case .standardError: FileHandle.standardError.write(Data("\(text)\n".utf8))
        case .process: Self.runEcho(text)
        }
    }

    private static func runEcho(_ text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/echo")
        process.arguments = [text]
        do {
            try process.run()
            process.waitUntilExit()
        } catch {
            fatalError("no child: \(error)")
        }
    }
}

/// The stream of that name, as programs write it for themselves.
private struct StandardError: TextOutputStream {
    func write(_ string: String) {
        unsafe fputs(string, stderr)
    }
}
