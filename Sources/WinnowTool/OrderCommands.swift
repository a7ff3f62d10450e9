// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowCore
import WinnowInspection

extension TargetArgument {
    /// How long a process has to look, and how long in addition to be done: more than a flush takes.
    private static let patience = Duration.seconds(2)
    private static let timeToFinish = Duration.seconds(11)

    /// Gives an order to all processes that are meant, and says what has become of it.
    ///
    /// - Parameters:
    ///   - order: What they are to do.
    ///   - done: What is said of a process that has done it.
    ///   - check: Complains of what the order will not bring about in a process.
    /// - Throws: The exit status, unless all have done it.
    func give(
        _ order: ControlOrder,
        done: (RunningProgram) -> String,
        checking check: (RunningProgram) -> Void = { _ in }
    ) throws {
        var status: Int32 = 0
        for program in try programs {
            check(program)
            status = max(status, try give(order, to: program, done: done(program)))
        }
        if status > 0 { throw ExitCode(status) }
    }

    /// Gives an order to a process, says what has become of it, and returns the exit status.
    private func give(
        _ order: ControlOrder,
        to program: RunningProgram,
        done: String
    ) throws -> Int32 {
        let outcome: ControlOrder.Outcome
        do throws(InspectionProblem) {
            outcome = try program.give(
                order,
                patience: Self.patience,
                timeToFinish: Self.timeToFinish
            )
        } catch {
            StandardStream.complain(of: program.name, error.text)
            return 2
        }
        guard let problem = Self.problem(of: outcome) else {
            let text = "\(program.title): \(done)\n"
            try OutputFormat.text.write(text: text, json: text)
            return 0
        }
        StandardStream.complain(of: program.name, problem)
        return outcome == .waiting || outcome == .begun ? 1 : 2
    }

    /// What is said of an order that was not carried out; nil where it was.
    private static func problem(of outcome: ControlOrder.Outcome) -> String? {
        switch outcome {
        case .done: nil
        case .waiting: "has not looked within 2 seconds: it will at its next log call"
        case .begun: "has begun, and is not done after 13 seconds"
        case .refused: "does not understand it: its Winnow is of another version"
        case .failed(let reason): "could not do all of it: \(reason ?? "its log may say why")"
        case .late: "its time passed before the process looked: nothing was set"
        case .replaced: "another order has taken its place: the last one counts"
        }
    }
}

extension RunningProgram {
    /// What it is called in what a command says.
    fileprivate var name: String { "process \(processID), \(page.identifier)" }
}

/// What all commands that give an order have in common.
private let exitStatuses = """
    EXIT STATUS:
      0   each process has done it
      1   some process has not looked yet, or is not done; the order stays
      2   some process cannot be given the order, could not do it, looked too late, or was given
          another one
      64  the arguments are wrong
    """

/// Sets the levels of a process.
struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets the levels of a process that runs, for a time.",
        discussion: """
            The filter is written as in WINNOW_LOG. It stands above the one of the program: a category \
            that it says nothing of keeps its levels. After 30 minutes, or the time of --for, the levels are \
            those of the program's filter again, and the process says so in its log.

            With --statements, the levels are those of single statements, which `winnow statements` lists.

            EXAMPLE:
              $ winnow set myapp net=debug --for 10m
              process 30487, myapp: set for 10m
              $ winnow set myapp debug --statements 'Net*.swift:40-80' --matching '*timeout*'
              process 30487, myapp: set for 30m

            \(exitStatuses)
            """
    )

    @OptionGroup var target: TargetArgument

    @Argument(help: "The levels, by category: 'notice,net=debug'; with --statements, only levels.")
    var levels: String

    @Option(help: "Sets only statements of a file, or of some lines: 'Net*.swift:40-80'.")
    var statements: String?

    @Option(help: "Sets only statements whose first literal is like this: '*timeout*'.")
    var matching: String?

    @Option(name: .customLong("for"), help: "For how long: 90s, 10m, 2h or 1d (default: 30m).")
    var givenTime: String?

    @Flag(help: "Until somebody sets or resets the levels, or the process ends.")
    var stay = false

    private var time: String { givenTime ?? "30m" }

    /// The seconds of the time; nil where it is none.
    private var seconds: Int? {
        time.number(in: ["s": 1, "m": 60, "h": 3_600, "d": 86_400]).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The filter that the arguments make.
    private var filter: String {
        guard statements != nil || matching != nil else { return levels }
        let place = Self.part(statements ?? "*")
        let text = matching.map { "~\(Self.part($0))" } ?? ""
        return "\(place.contains("@") ? "" : "@")\(place)\(text)=\(levels)"
    }

    /// An argument as a part of a filter's entry.
    private static func part(_ text: String) -> String {
        PercentEscapes.encoded(Array(text.utf8)) { "=, \t".utf8.contains($0) }
    }

    func validate() throws {
        if stay, givenTime != nil { throw ValidationError("give either --for or --stay") }
        guard seconds != nil else {
            throw ValidationError("'\(time)' is no time: write 90s, 10m, 2h or 1d")
        }
        if statements != nil || matching != nil { try checkLevels() }
        let parsed = Filter(filter)
        if let problem = parsed.problems.first { throw ValidationError(problem.description) }
        if parsed.isEmpty { throw ValidationError("the filter says nothing: write net=debug") }
    }

    /// Tests that the filter is nothing but levels, which a place will stand in front of.
    private func checkLevels() throws {
        let parsed = Filter(levels)
        let isPlain = parsed.problems.isEmpty && parsed.hasDefault
        guard isPlain, !levels.contains(","), !levels.contains("=") else {
            throw ValidationError("with --statements and --matching, give only levels: debug")
        }
    }

    func run() throws {
        let duration = stay ? nil : seconds.map { Duration.seconds($0) }
        let end = stay ? "set until it is reset" : "set for \(time)"
        try target.give(.set(filter, for: duration), done: { _ in end }, checking: complain)
    }

    /// Complains of what the filter asks for and the process does not have.
    private func complain(of program: RunningProgram) {
        let filter = Filter(filter)
        for problem in program.page.limits(of: filter) + program.limitsOfRules(of: filter) {
            StandardStream.complain(of: program.name, problem)
        }
    }
}

/// Gives a process its own levels back.
struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Ends what was set: the levels are those of the program's filter again.",
        discussion: exitStatuses
    )

    @OptionGroup var target: TargetArgument

    func run() throws {
        try target.give(.reset) { $0.page.state.turn == nil ? "nothing was set" : "reset" }
    }
}

/// Has a process open its files and sockets anew.
struct ReopenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen",
        abstract: "Has a process open the destinations of its log anew, as after a rotation.",
        discussion: exitStatuses
    )

    @OptionGroup var target: TargetArgument

    func run() throws { try target.give(.reopen) { _ in "reopened" } }
}

/// Has a process deliver what waits.
struct FlushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Waits until a process has delivered what it has logged, at most 10 seconds.",
        discussion: exitStatuses
    )

    @OptionGroup var target: TargetArgument

    func run() throws { try target.give(.flush) { _ in "flushed" } }
}
