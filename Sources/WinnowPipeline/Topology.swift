// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A configuration of the pipeline: it never changes, and a new one takes its place.
package final class Topology: Sendable {
    /// The most routes that a configuration may have.
    package static let maximumRoutes = 63

    let routes: [Route]
    let privacy: PrivacyPolicy
    /// The levels that the filter lets through, by category.
    private let filter: @Sendable (String) -> LevelSet

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - routes: The routes, at most ``maximumRoutes``; more are left out.
    ///   - privacy: What becomes of private values.
    ///   - filter: The levels that are accepted, by category.
    package init(
        routes: [Route],
        privacy: PrivacyPolicy,
        filter: @escaping @Sendable (String) -> LevelSet
    ) {
        self.routes = Array(routes.prefix(Self.maximumRoutes))
        self.privacy = privacy
        self.filter = filter
    }

    /// The mask of a category: what the filter and at least one route let through.
    func mask(of category: String) -> UInt32 {
        let wanted = routes.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
        return UInt32(filter(category).intersection(wanted).rawValue)
    }
}
