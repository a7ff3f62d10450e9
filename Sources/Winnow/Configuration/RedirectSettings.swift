// SPDX-License-Identifier: Apache-2.0

package import WinnowRedirect

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
