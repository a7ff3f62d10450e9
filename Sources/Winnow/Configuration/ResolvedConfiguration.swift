// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The configuration that applies: the code's, as the environment changed it.
///
/// Where both say something of the same kind the environment has the last word, and of what it
/// says the option of a sink before the variable for all.
package struct ResolvedConfiguration: Sendable {
    /// The name of the program in the log, never empty.
    package let identifier: String
    package let facility: Facility
    /// The routes, with their formats, colors and facilities decided; empty where nobody
    /// configured any.
    package let routes: [Winnow.Route]
    package let filter: Filter
    package let privacy: PrivacyPolicy
    package let delivery: Winnow.Delivery
    package let signals: Winnow.SignalUse
    package let control: Winnow.ControlUse
    package let recorder: Winnow.Recorder?
    /// The format of routes that nobody configured.
    package let format: Winnow.Format
    /// The color of routes that nobody configured.
    package let color: Winnow.Color
    /// The redirect that the environment asks for; nil where it says nothing of one.
    package let redirect: RedirectEnvironment.Settings?

    /// Decides what applies.
    ///
    /// - Parameters:
    ///   - configuration: The code's configuration.
    ///   - environment: The environment.
    ///   - program: The name of the program's file.
    ///   - floor: The raw value of the least severe level of which the program has statements of Winnow.
    ///   - hasOtherStatements: Whether it may have others, of swift-log.
    /// - Returns: What applies, and what of the environment was not understood.
    package static func resolve(
        _ configuration: Winnow.Configuration,
        in environment: Environment,
        program: String,
        floor: Int32 = Level.staticMaximum,
        hasOtherStatements: Bool = Level.hasOtherStatements
    ) -> (ResolvedConfiguration, [Winnow.ConfigurationProblem]) {
        guard configuration.environment == .overrides else {
            let resolved = resolve(configuration, with: EnvironmentSettings(), program: program)
            return (resolved, [])
        }
        var reader = EnvironmentReader(
            environment,
            floor: floor,
            hasOtherStatements: hasOtherStatements
        )
        let settings = EnvironmentSettings(&reader)
        let resolved = resolve(configuration, with: settings, program: program)
        return (resolved, reader.problems + resolved.unreachedLevels)
    }

    /// The routes of the environment whose level is one that no category lets through: who writes
    /// `file:app.log@debug` expects that level, and the filter comes first.
    private var unreachedLevels: [Winnow.ConfigurationProblem] {
        guard let limit = filter.levelsOfAny.leastSevere else { return [] }
        return routes.compactMap { route in
            guard route.saysLevels, let level = route.levels.leastSevere,
                level.rawValue > limit.rawValue
            else { return nil }
            return Winnow.ConfigurationProblem(
                EnvironmentVariable.sinks,
                entry: "\(route)@\(level)",
                reason: "the filter lets nothing below \(limit) through, which "
                    + "\(EnvironmentVariable.log)=\(level) would"
            )
        }
    }

    private static func resolve(
        _ configuration: Winnow.Configuration,
        with settings: borrowing EnvironmentSettings,
        program: String
    ) -> ResolvedConfiguration {
        let facility = settings.facility ?? configuration.facility
        let format = settings.format ?? configuration.format ?? .text
        let identifiers = [settings.identifier, configuration.identifier, program]
        let routes = settings.routes.isEmpty ? configuration.routes : settings.routes
        return ResolvedConfiguration(
            identifier: identifiers.compactMap(\.self).first { !$0.isEmpty } ?? "unknown",
            facility: facility,
            routes: routes.map { route in
                var route = route
                let isFinal = route.origin == .environment
                if settings.format != nil { route.formatter = nil }
                route.format = (isFinal ? route.format : settings.format) ?? route.format ?? format
                route.facility =
                    (isFinal ? route.facility : settings.facility) ?? route.facility ?? facility
                if !isFinal || route.color == .auto { route.color = settings.color ?? route.color }
                return route
            },
            filter: settings.filter?.orDefault(of: configuration.filter) ?? configuration.filter,
            privacy: settings.privacy ?? configuration.privacy,
            delivery: settings.applied(to: configuration.delivery),
            signals: settings.signals ?? configuration.signals,
            control: settings.control ?? configuration.control,
            recorder: settings.recorder ?? configuration.recorder,
            format: format,
            color: settings.color ?? .auto,
            redirect: settings.redirect
        )
    }
}

/// What the environment says; nil and empty where it says nothing.
private struct EnvironmentSettings: ~Copyable {
    var filter: Filter?
    var routes: [Winnow.Route] = []
    var format: Winnow.Format?
    var color: Winnow.Color?
    var identifier: String?
    var facility: Facility?
    var privacy: PrivacyPolicy?
    var isDeferred: Bool?
    var overflow: Winnow.Overflow?
    var queueByteCount: Int?
    var signals: Winnow.SignalUse?
    var control: Winnow.ControlUse?
    var recorder: Winnow.Recorder??
    var redirect: RedirectEnvironment.Settings?

    init() {}

    init(_ reader: inout EnvironmentReader) {
        filter = reader.filter()
        routes = reader.routes()
        format = reader.format()
        color = reader.color()
        identifier = reader.identifier()
        facility = reader.value(
            of: EnvironmentVariable.facility,
            as: "facility",
            among: Facility.names,
            allowed: Facility.choices,
            parse: Facility.init(parsing:)
        )
        privacy = reader.value(
            of: EnvironmentVariable.privacy,
            as: "policy",
            among: PrivacyPolicy.names,
            parse: PrivacyPolicy.init(parsing:)
        )
        readDelivery(&reader)
        signals = reader.value(
            of: EnvironmentVariable.signals,
            as: "setting",
            among: Winnow.SignalUse.allCases.map(\.rawValue),
            parse: { Winnow.SignalUse(rawValue: $0.lowercased()) }
        )
        control = reader.value(
            of: EnvironmentVariable.control,
            as: "setting",
            among: Winnow.ControlUse.allCases.map(\.rawValue),
            parse: { Winnow.ControlUse(rawValue: $0.lowercased()) }
        )
        recorder = reader.recorder()
        redirect = reader.redirect()
        reader.checkNames()
    }

    private mutating func readDelivery(_ reader: inout EnvironmentReader) {
        isDeferred = reader.value(
            of: EnvironmentVariable.delivery,
            as: "delivery",
            among: Winnow.Delivery.names,
            parse: Winnow.Delivery.isDeferred(parsing:)
        )
        overflow = reader.value(
            of: EnvironmentVariable.overflow,
            as: "policy",
            among: Winnow.Overflow.names,
            allowed: Winnow.Overflow.allowed,
            parse: Winnow.Overflow.init(parsing:)
        )
        queueByteCount = reader.value(
            of: EnvironmentVariable.queue,
            as: "size",
            among: [],
            allowed: Winnow.Delivery.allowedSizes,
            parse: Winnow.Delivery.byteCount(parsing:)
        )
    }

    /// The code's way of delivery, as the environment changes it.
    func applied(to delivery: Winnow.Delivery) -> Winnow.Delivery {
        var delivery = delivery
        delivery.isDeferred = isDeferred ?? delivery.isDeferred
        delivery.overflow = overflow ?? delivery.overflow
        delivery.queueByteCount = queueByteCount ?? delivery.queueByteCount
        return delivery
    }
}
