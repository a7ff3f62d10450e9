// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Logging
internal import Support
internal import Winnow
internal import WinnowPipeline
internal import WinnowSwiftLog

extension ScriptedSink {
    /// Has the process log to this sink alone.
    func install(
        privacy: PrivacyPolicy = .redact,
        filter: Filter = "debug"
    ) {
        let route = SinkRoute(name: "scripted", slot: SinkSlot(self), levels: .all)
        Pipeline.install(RoutingPlan(routes: [route], privacy: privacy, filter: filter))
    }
}

extension Logger {
    /// Creates a logger over Winnow, without the process's one bootstrap.
    init(overWinnow label: String, provider: Logger.MetadataProvider? = nil) {
        self.init(label: label) { WinnowLogHandler(label: $0, metadataProvider: provider) }
    }
}

#endif
