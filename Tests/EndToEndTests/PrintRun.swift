// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A record of a line that was printed.
struct PrintedRecord: Hashable {
    let message: String
    let category: String
    let stream: String?
    let lineBreak: String?
    /// How many lines it stands for that equal an earlier one.
    let repeated: Int?
    /// When it was logged, in seconds since 1970.
    let time: Double

    init?(_ json: Substring) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)),
            let keys = object as? [String: Any],
            let message = keys["message"] as? String,
            let text = keys["time"] as? String,
            let time = try? Date(text, strategy: Self.timeFormat)
        else { return nil }
        let fields = keys["fields"] as? [String: Any] ?? keys
        self.message = message
        category = keys["category"] as? String ?? ""
        stream = fields["stream"] as? String
        lineBreak = fields["line_break"] as? String
        repeated = fields["repeated"] as? Int
        self.time = time.timeIntervalSince1970
    }

    private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

/// A run of the program that prints what its arguments say.
struct PrintRun {
    let outcome: Program.Outcome
    /// What the program said itself.
    let account: [String]
    /// What it logged.
    let records: [PrintedRecord]
    /// Lines of the log that are no records.
    let malformed: [Substring]
    /// When it had ended, by the monotonic clock in nanoseconds.
    private let endTime: Int

    static let path = Program.path.replacingOccurrences(of: "LogProgram", with: "PrintProgram")

    /// Runs the program with a log to a file, until it has ended, and all that have its streams.
    init(
        _ tasks: [String],
        delivery: String = "immediate",
        environment: [String: String] = [:],
        stdin: FileHandle = .nullDevice
    ) throws {
        let folder = try TemporaryFolder()
        let log = "\(folder.path)/log"
        var all = [
            "ACCOUNT": "\(folder.path)/account", "WINNOW_DELIVERY": delivery,
            "WINNOW_FORMAT": "json", "SWIFT_BACKTRACE": "enable=no",
        ]
        // A sink of the program's own is one of the code's, which the environment would replace.
        let hasSink = tasks.contains { $0.hasPrefix("sink=") }
        all[hasSink ? "RECORDS" : "WINNOW_SINKS"] = hasSink ? log : "file:\(log)"
        outcome = try Program.run(
            tasks,
            environment: all.merging(environment) { $1 },
            executable: Self.path,
            stdin: stdin
        )
        endTime = Self.monotonicTime()
        account = (try? folder.lines(of: "account")) ?? []
        let text = try? Data(contentsOf: URL(fileURLWithPath: log))
        let lines = String(decoding: text ?? Data(), as: UTF8.self).split(separator: "\n")
        records = lines.compactMap(PrintedRecord.init)
        malformed = lines.filter { PrintedRecord($0) == nil }
        for line in account where line.hasPrefix("waited in vain for ") {
            Issue.record("the program \(line); its tasks: \(tasks)")
        }
    }

    private static func monotonicTime() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// The lines on standard output, and on standard error.
    var output: [String] { outcome.stdout.split(separator: "\n").map(String.init) }
    var errors: [String] { outcome.stderr.split(separator: "\n").map(String.init) }
    /// The texts of all records.
    var messages: [String] { records.map(\.message) }

    /// Whether a stop, or the end since the task `clock`, took so long that the redirect may have given
    /// up, and printed what it was to log: it waits for its worker for 400 ms.
    var mayHaveGivenUp: Bool {
        let begin = count("clock") ?? endTime
        return account.contains("slow stop") || endTime - begin >= 350_000_000
    }

    /// How often the text was printed, also where another one came between it and its line break.
    func printed(_ text: String, to stream: KeyPath<Program.Outcome, String>) -> Int {
        outcome[keyPath: stream].components(separatedBy: text).count - 1
    }

    /// The number behind a word in the account; of several the last.
    func count(_ word: String) -> Int? {
        let line = account.last { $0.hasPrefix("\(word) ") }
        return line.flatMap { Int($0.dropFirst(word.count + 1)) }
    }

    /// Expects that what was taken adds up.
    func expectSound(_ location: SourceLocation = #_sourceLocation) {
        #expect(malformed.isEmpty, sourceLocation: location)
        let sum = ["logged", "collapsed", "blank", "passed", "dropped", "lost"]
            .compactMap { count($0) }.reduce(0, +)
        #expect(count("taken") == sum, "\(account)", sourceLocation: location)
    }
}
