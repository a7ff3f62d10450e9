// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The rules of a redirect, in their order: the first that a line meets decides on it.
package struct RuleSet: Sendable {
    private let rules: [RedirectRule]
    private let otherwise: RedirectAction
    private let nsLogLevel: Level

    /// Creates the rules of a redirect.
    ///
    /// - Parameters:
    ///   - rules: The rules, the first that applies first.
    ///   - otherwise: What becomes of the lines that meet no rule.
    ///   - nsLogLevel: The level of a line of NSLog without a mark, where the action is to parse it.
    package init(
        _ rules: [RedirectRule],
        otherwise: RedirectAction,
        nsLogLevel: Level = .notice
    ) {
        self.rules = rules
        self.otherwise = otherwise
        self.nsLogLevel = nsLogLevel
    }

    /// Decides what the lines of an origin need.
    ///
    /// Once for an origin and stream. MT-Safe, AS-Unsafe heap.
    package func verdict(origin: LineOrigin, stream: PrintedStream) -> RuleSelection.Verdict {
        selection(origin: origin, stream: stream).verdict
    }

    /// Selects the rules that can apply to an origin.
    ///
    /// Once for an origin and stream. MT-Safe, AS-Unsafe heap.
    package func selection(origin: LineOrigin, stream: PrintedStream) -> RuleSelection {
        var steps: [RuleSelection.Step] = []
        for rule in rules where rule.canApply(to: origin, on: stream) {
            if rule.texts.isEmpty {
                return RuleSelection(steps, otherwise: rule.action, nsLogLevel: nsLogLevel)
            }
            steps.append(RuleSelection.Step(tests: rule.texts, action: rule.action))
        }
        return RuleSelection(steps, otherwise: otherwise, nsLogLevel: nsLogLevel)
    }
}
