// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

@main
struct Benchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measures Winnow beside other loggers, all in one run; some half an hour.",
        subcommands: [JobCommand.self]
    )

    @Flag(help: "Take few samples, once: some three minutes.")
    var quick = false

    @Option(help: "Write all figures, of each round, to this file.")
    var json: String?

    @Option(help: "A folder in memory for the files.")
    var memory = "/dev/shm"

    @Option(help: "A folder on a disk for the files.")
    var disk = FileManager.default.temporaryDirectory.path

    @Option(parsing: .upToNextOption, help: "Measure only these parts.")
    var only: [Measure] = Measure.allCases

    func run() throws {
        let plan = Plan(folders: (memory, disk), isQuick: quick, measures: only)
        let machine = Machine(folders: plan.folders)
        print(machine.description, terminator: "\n\n")
        let report = plan.run(on: machine)
        for table in report.tables { print(table.text, terminator: "\n\n") }
        for line in report.skipped { print("skipped: \(line)") }
        guard let json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(report).write(to: URL(fileURLWithPath: json))
    }
}

extension Measure: ExpressibleByArgument {}
