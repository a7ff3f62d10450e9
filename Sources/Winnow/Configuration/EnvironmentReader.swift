// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Reads the variables, and keeps what is wrong with them.
struct EnvironmentReader: ~Copyable {
    private let environment: Environment
    /// The raw value of the least severe level of which the program has statements; nil where it has
    /// more than its build tells.
    private let floor: Int32?
    /// Whether there are statements besides Winnow's own, which no floor of its has stripped.
    private let hasOtherStatements: Bool
    private(set) var problems: [Winnow.ConfigurationProblem] = []

    init(_ environment: Environment, floor: Int32?, hasOtherStatements: Bool) {
        self.environment = environment
        self.hasOtherStatements = hasOtherStatements
        // What is printed is logged at any level.
        self.floor = environment[EnvironmentVariable.redirect] == nil ? floor : nil
    }

    /// The value of one of the library's own variables; nil if it is not set, or not UTF-8.
    ///
    /// Never inlined into what is compiled for each kind of value.
    @inline(never)
    private mutating func text(of variable: String) -> Substring? {
        guard let text = list(of: variable) else { return nil }
        do throws(FilterProblem) {
            try text.checkText()
            return text
        } catch {
            append([error], of: variable)
            return nil
        }
    }

    /// The value of one of the library's own variables, whose entries are checked one by one, without
    /// quotation marks that the reader of an environment file has left in it; nil if it is not set.
    private mutating func list(of variable: String) -> Substring? {
        guard let text = environment[variable]?[...].trimmed else { return nil }
        guard text.utf8.count >= 2, let mark = text.utf8.first, text.utf8.last == mark,
            mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'")
        else { return text }
        problems.append(
            Winnow.ConfigurationProblem(
                variable,
                entry: String(text),
                reason: "the quotation marks are a part of the value, and are left out"
            )
        )
        // A text of its own, in which places are counted.
        return String(text.dropFirst().dropLast())[...].trimmed
    }

    /// The value that a variable names; nil where it is not set or names none.
    ///
    /// - Parameters:
    ///   - variable: The variable.
    ///   - noun: What it names, for the problem's text.
    ///   - names: The names, for the suggestion.
    ///   - allowed: What it may be, where the names are not all.
    ///   - parse: Returns the value of a name.
    /// - Returns: The value.
    mutating func value<Value>(
        of variable: String,
        as noun: String,
        among names: @autoclosure () -> [String],
        allowed: @autoclosure () -> String? = nil,
        parse: (Substring) -> Value?
    ) -> Value? {
        guard let word = text(of: variable) else { return nil }
        if let value = parse(word) { return value }
        noteUnknown(word, of: variable, as: noun, among: names(), allowed: allowed())
        return nil
    }

    /// Notes that a variable names nothing: once for all kinds of values, which ``value(of:as:among:allowed:parse:)``
    /// is compiled for one by one.
    private mutating func noteUnknown(
        _ word: Substring,
        of variable: String,
        as noun: String,
        among names: [String],
        allowed: String?
    ) {
        let suggestion =
            variable == EnvironmentVariable.level
            ? Level.suggestion(for: word) : Suggestion.nearest(to: word, among: names)
        let choices = suggestion == nil ? allowed ?? Suggestion.choices(among: names) : nil
        let problem = FilterProblem(
            entry: word,
            reason: "\(names.isEmpty ? "invalid" : "unknown") \(noun) \(quoted(word))"
                + (choices.map { " (\($0))" } ?? ""),
            at: word,
            suggestion: suggestion
        )
        problems.append(Winnow.ConfigurationProblem(variable, problem))
    }

    /// The filter of the environment; nil where it has none, or none of which something applies.
    ///
    /// The default is that of `WINNOW_LOG`, else of `LOG_LEVEL`, else of `DEBUG_INVOCATION`.
    mutating func filter() -> Filter? {
        guard let text = list(of: EnvironmentVariable.log) else { return defaultFilter() }
        let filter = Filter(String(text))
        append(filter.problems, of: EnvironmentVariable.log)
        noteStripped(filter.levelsNamed, of: EnvironmentVariable.log, String(text))
        if filter.hasDefault { return filter }
        guard let other = defaultFilter() else { return filter.isEmpty ? nil : filter }
        return filter.isEmpty ? other : filter.orDefault(of: other)
    }

    /// The filter of the variables that name one level for all; nil where none does.
    private mutating func defaultFilter() -> Filter? {
        let level = value(
            of: EnvironmentVariable.level,
            as: "level",
            among: Level.words,
            allowed: Level.choices
        ) {
            Level(parsing: $0)
        }
        if let level {
            noteStripped(.upTo(level), of: EnvironmentVariable.level, level.description)
            return Filter(level.description)
        }
        let isAsked = environment[EnvironmentVariable.debugInvocation].map { text in
            ["1", "yes", "y", "true", "t", "on"].contains(text[...].trimmed.lowercased())
        }
        return isAsked == true ? "debug" : nil
    }

    /// Notes that a variable names levels whose statements the build has dropped: whoever sets it
    /// would look for them in vain.
    private mutating func noteStripped(_ levels: LevelSet, of variable: String, _ text: String) {
        guard let floor, let level = levels.leastSevere, level.rawValue > floor else { return }
        let kept = Level.allCases.last { $0.rawValue <= floor }
        let others = hasOtherStatements ? " those of swift-log and" : ""
        problems.append(
            Winnow.ConfigurationProblem(
                variable,
                entry: text,
                reason:
                    "this build has no log statements\(kept.map { " below \($0)" } ?? ""), except"
                    + "\(others) in targets that set WINNOW_MAX_LEVEL; build it with"
                    + " -Xcc -DWINNOW_MAX_LEVEL=\(level.rawValue) to have them"
            )
        )
    }

    /// The routes of the environment; none where it has none that applies.
    mutating func routes() -> [Winnow.Route] {
        guard let text = list(of: EnvironmentVariable.sinks) else { return [] }
        var parser = SinkListParser()
        parser.read(String(text))
        append(parser.problems, of: EnvironmentVariable.sinks)
        return parser.routes
    }

    /// The identifier of the environment; nil where it has none that applies.
    mutating func identifier() -> String? {
        let source = EnvironmentVariable.identifier
        guard let text = text(of: source).map(String.init) else { return nil }
        guard let problem = Winnow.Configuration.problem(ofIdentifier: text, source) else {
            return text
        }
        problems.append(problem)
        return nil
    }

    /// The recorder of the environment: nil within where it asks for none; nil where it has none that applies.
    mutating func recorder() -> Winnow.Recorder?? {
        guard let text = text(of: EnvironmentVariable.recorder) else { return nil }
        if text.asksForNothing { return .some(nil) }
        guard Recovery.isBuilt else {
            problems.append(
                Winnow.ConfigurationProblem(
                    EnvironmentVariable.recorder,
                    entry: String(text),
                    reason: "this build has no recorder, which needs the trait Recorder of Winnow"
                )
            )
            return nil
        }
        do throws(FilterProblem) {
            return try Winnow.Recorder(parsing: text)
        } catch {
            append([error], of: EnvironmentVariable.recorder)
            return nil
        }
    }

    /// The redirect of the environment; nil where it has none, or none of which something applies.
    mutating func redirect() -> RedirectEnvironment.Settings? {
        guard let text = list(of: EnvironmentVariable.redirect) else { return nil }
        let reading = RedirectEnvironment.read(String(text))
        problems += reading.problems
        return reading.settings
    }

    /// The format for all; nil where the environment has none.
    mutating func format() -> Winnow.Format? {
        guard let text = text(of: EnvironmentVariable.format) else { return nil }
        do {
            return try FormatWord.format(of: text)
        } catch {
            append([error], of: EnvironmentVariable.format)
            return nil
        }
    }

    /// Whether the environment decides on color; nil where it leaves that to the terminal.
    ///
    /// `FORCE_COLOR=0` asks for none, as for the programs that know the variable from Node.js.
    ///
    /// Source: no-color.org; force-color.org; bixense.com/clicolors.
    mutating func color() -> Winnow.Color? {
        let own = value(
            of: EnvironmentVariable.color,
            as: "color",
            among: Winnow.Color.names,
            parse: Winnow.Color.init(parsing:)
        )
        if let own, own != .auto { return own }
        if let force = environment["FORCE_COLOR"] {
            return ["0", "false"].contains(force.lowercased()) ? .never : .always
        }
        if environment["NO_COLOR"] != nil { return .never }
        if let force = environment["CLICOLOR_FORCE"], force != "0" { return .always }
        return environment["CLICOLOR"] == "0" ? .never : nil
    }

    /// Finds the variables that nothing reads.
    mutating func checkNames() {
        let own = EnvironmentVariable.own
        let names = environment.ownNames.sorted().filter { name in
            environment[name] != nil && !own.contains(name)
                && !name.hasPrefix(EnvironmentVariable.testPrefix)
        }
        let services = ServiceVariables(among: names, of: environment)
        problems += services.problems
        for name in names where !services.contains(name) {
            problems.append(
                Winnow.ConfigurationProblem(
                    withoutControls(name),
                    reason: "no such variable",
                    suggestion: nearestVariable(to: name)
                )
            )
        }
    }

    /// Compares what stands behind the prefix that all the names share.
    private func nearestVariable(to name: String) -> String? {
        if let own = EnvironmentVariable.foreign[name] { return own }
        let prefix = EnvironmentVariable.prefix
        let ends = EnvironmentVariable.own.map { String($0.dropFirst(prefix.count)) }
        return Suggestion.nearest(to: name.dropFirst(prefix.count), among: ends)
            .map { prefix + $0 }
    }

    private mutating func append(_ found: [FilterProblem], of variable: String) {
        problems += found.map { Winnow.ConfigurationProblem(variable, $0) }
    }

    /// The name as it may stand in a message, which `quoted` says.
    private func withoutControls(_ name: String) -> String {
        String(quoted(name).dropFirst().dropLast())
    }
}
