// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The redirect that the environment asks for.
package struct RedirectSettings: Sendable {
    /// The rules, the most specific first.
    package var rules: [RedirectRule] = []
    /// What becomes of the lines that meet no rule; nil where no entry says it.
    package var otherwise: RedirectAction?
    /// The streams whose descriptors are captured.
    package var descriptors: Set<PrintedStream> = []

    /// Whether the environment asks for no redirect, whatever the code does.
    package var isOff: Bool { rules.isEmpty && otherwise == nil && descriptors.isEmpty }

    package init() {}
}

extension RedirectSettings {
    /// The rules of the variable, and the code's behind them.
    package func rules(
        before rules: [RedirectRule],
        otherwise: RedirectAction,
        nsLogLevel: Level = .notice
    ) -> RuleSet {
        RuleSet(
            self.rules + rules,
            otherwise: self.otherwise ?? otherwise,
            nsLogLevel: nsLogLevel
        )
    }

    /// The descriptors as options.
    package var options: RedirectOptions {
        var options: RedirectOptions = []
        if descriptors.contains(.stdout) { options.insert(.stdoutDescriptor) }
        if descriptors.contains(.stderr) { options.insert(.stderrDescriptor) }
        return options
    }
}
