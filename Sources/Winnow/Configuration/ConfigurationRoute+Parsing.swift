// SPDX-License-Identifier: Apache-2.0

extension Winnow.Route {
    /// Reads routes that somebody gives a tool, in the form of `WINNOW_SINKS`.
    ///
    /// They are as the code's own: whatever is wrong with them is an error. And no stderr takes the place of a daemon
    /// that is not there.
    ///
    /// - Parameters:
    ///   - text: The routes.
    ///   - source: Where they stand, for what is said of a problem.
    /// - Returns: The routes, at least one.
    /// - Throws: What cannot be understood of them.
    package static func list(
        parsing text: String,
        of source: String
    ) throws(Winnow.ConfigurationError) -> [Winnow.Route] {
        var parser = SinkListParser()
        parser.read(text)
        var problems = parser.problems.map { Winnow.ConfigurationProblem(source, $0) }
        if problems.isEmpty, parser.routes.isEmpty {
            problems.append(Winnow.ConfigurationProblem(source, reason: "a sink is missing"))
        }
        guard problems.isEmpty else { throw Winnow.ConfigurationError(problems) }
        return parser.routes.map { route in
            var route = route
            route.origin = .code
            route.mayFallBack = false
            return route
        }
    }
}
