// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Where the records go when nobody configured any route.
package enum DefaultRoute: Sendable, Hashable {
    /// To the journal by its own protocol: it is what reads stderr, and so gets the fields too.
    case journald
    /// To stderr, which is a terminal, in color.
    case coloredText
    /// To stderr, one record a line.
    case text

    /// Chooses by what stderr is.
    ///
    /// - Parameters:
    ///   - stderr: What stderr is.
    ///   - color: What the environment says of color; it is asked only where stderr gets text.
    /// - Returns: The choice.
    package static func choose(
        for stderr: StreamFacts,
        color: Winnow.Color = .auto
    ) -> DefaultRoute {
        if stderr.isJournal { return .journald }
        return stderr.isColored(color) ? .coloredText : .text
    }
}

extension ResolvedConfiguration {
    /// The route that nobody configured.
    func defaultRoute(for stderr: StreamFacts) -> Winnow.Route {
        switch DefaultRoute.choose(for: stderr, color: color) {
        case .journald: filled(.journald)
        case .coloredText: filled(.stream(.stderr), color: .always)
        case .text: filled(.stream(.stderr), color: .never)
        }
    }

    /// A route to the destination with the options that are for all.
    func filled(
        _ destination: Winnow.Route.Destination,
        color: Winnow.Color? = nil
    ) -> Winnow.Route {
        var route = Winnow.Route(destination, levels: .all, origin: .defaults)
        route.format = format
        route.facility = facility
        route.color = color ?? self.color
        return route
    }
}
