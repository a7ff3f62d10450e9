// SPDX-License-Identifier: Apache-2.0

#if !Redirect
internal import WinnowCore

/// What `WINNOW_REDIRECT` says to a build without the trait `Redirect`: that it has no redirect.
package enum RedirectEnvironment {
    package typealias Settings = Never

    /// Returns no settings, and a problem unless the value asks for no redirect.
    static func read(
        _ text: String
    ) -> (settings: Settings?, problems: [Winnow.ConfigurationProblem]) {
        guard !text[...].trimmed.asksForNothing else { return (nil, []) }
        let problem = Winnow.ConfigurationProblem(
            EnvironmentVariable.redirect,
            entry: text,
            reason: "this build has no redirect, which needs the trait Redirect of Winnow"
        )
        return (nil, [problem])
    }

    static func adopt(_ settings: Settings?) {}
}
#endif
