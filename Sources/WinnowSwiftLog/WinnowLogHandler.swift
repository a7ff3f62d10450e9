// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

public import Logging
internal import Winnow
public import WinnowCore

/// The backend that brings what libraries log through swift-log into Winnow.
///
/// A program installs it once, before it makes its first `Logger`:
/// ```swift
/// import Logging
/// import WinnowSwiftLog
///
/// LoggingSystem.bootstrap(WinnowLogHandler.init(label:))
/// ```
/// or, with a provider of metadata:
/// ```swift
/// LoggingSystem.bootstrap(
///     WinnowLogHandler.init(label:metadataProvider:),
///     metadataProvider: provider
/// )
/// ```
/// The label becomes the category, so `WINNOW_LOG=notice,hummingbird=debug` sets the level of the
/// logger `hummingbird`. Metadata become fields, with their types: a dictionary one field for each
/// of its leaves, named `outer.inner`, and an array one field, which is compact JSON. Where a name
/// occurs more than once, the call's metadata win over the provider's, and those over the logger's.
/// The source becomes the field `source` where it is not the module of the call.
///
/// A label's category is kept as long as the program runs: labels are names of components, not of
/// requests.
///
/// Like every handler it is a value: what is set on one `Logger` concerns no other. MT-Safe,
/// AS-Unsafe.
public struct WinnowLogHandler: LogHandler {
    /// Says how private a metadata value is, by the attributes that it was given.
    public typealias PrivacyRule = @Sendable (Logger.MetadataValueAttributes) -> LogPrivacy

    /// The metadata of every record of this logger.
    public var metadata: Logger.Metadata = [:]
    /// What adds metadata at the time of the call, a trace identifier for instance.
    public var metadataProvider: Logger.MetadataProvider?

    private let log: Log
    private let privacyRule: PrivacyRule?
    /// What was set on this logger; nothing but the filter decides where it is nil.
    private var ownLevel: Logger.Level?

    /// Creates the handler of a logger.
    public init(label: String) {
        self.init(label: label, metadataProvider: nil)
    }

    /// Creates the handler of a logger whose records get metadata from a provider.
    public init(label: String, metadataProvider: Logger.MetadataProvider?) {
        self.init(label: label, metadataProvider: metadataProvider, optionalRule: nil)
    }

    /// Creates the handler of a logger, with a rule for the attributes of metadata values.
    ///
    /// swift-log lets packages define attributes and defines none itself. The rule tells Winnow
    /// what those that a program uses mean; a private value is masked as `WINNOW_PRIVATE` says:
    /// ```swift
    /// LoggingSystem.bootstrap { label in
    ///     WinnowLogHandler(label: label, metadataProvider: nil) { attributes in
    ///         attributes[Sensitivity.self] == .sensitive ? .sensitive : .public
    ///     }
    /// }
    /// ```
    /// An array is as private as the most private of its elements.
    public init(
        label: String,
        metadataProvider: Logger.MetadataProvider?,
        privacy: @escaping PrivacyRule
    ) {
        self.init(label: label, metadataProvider: metadataProvider, optionalRule: privacy)
    }

    private init(
        label: String,
        metadataProvider: Logger.MetadataProvider?,
        optionalRule: PrivacyRule?
    ) {
        log = Log(label)
        privacyRule = optionalRule
        self.metadataProvider = metadataProvider
    }

    /// The level from which on swift-log evaluates a statement and hands it over.
    ///
    /// It follows Winnow's filter: unless a level was set, it is the most verbose one that the
    /// filter lets through for the label now. A level that was set can only silence more; then it
    /// is the stricter of the two. So `WINNOW_LOG` holds for libraries that set a level themselves,
    /// and what it filters is never evaluated.
    public var logLevel: Logger.Level {
        get {
            let filtered = Logger.Level(mostVerboseOf: log.acceptedLevels)
            return ownLevel.map { max($0, filtered) } ?? filtered
        }
        set { ownLevel = newValue }
    }

    /// The value under one key of the logger's own metadata.
    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Logs one event; swift-log calls it.
    public func log(event: LogEvent) {
        log.bridge(
            Level(event.level),
            message: event.message.description,
            error: event.error,
            location: Self.location(of: event),
            fields: fields(of: event)
        )
    }

    /// Logs what a handler from before `LogEvent` hands on; the source that it names is kept.
    @available(*, deprecated, renamed: "log(event:)")
    public func log(
        level: Logger.Level,
        message: Logger.Message,
        metadata: Logger.Metadata?,
        source: String,
        file: String,
        function: String,
        line: UInt
    ) {
        log(
            event: LogEvent(
                level: level,
                message: message,
                metadata: metadata,
                source: source,
                file: file,
                function: function,
                line: line
            )
        )
    }

    private static func location(of event: LogEvent) -> SourceLocation {
        SourceLocation(
            fileID: event.file,
            function: event.function,
            line: UInt32(clamping: event.line)
        )
    }

    private func fields(of event: LogEvent) -> [Field] {
        var merged = metadata
        if let provided = metadataProvider?.get() {
            merged.merge(provided) { $1 }
        }
        if let explicit = event.metadata {
            merged.merge(explicit) { $1 }
        }
        var flattening = MetadataFlattening(privacy: privacyRule)
        flattening.append(merged)
        return flattening.fields + Self.sourceField(of: event)
    }

    private static func sourceField(of event: LogEvent) -> [Field] {
        let source = event.source
        let module = location(of: event).module
        // swift-log says "n/a" where it does not know the module.
        guard source != module, source != "n/a", !source.isEmpty else { return [] }
        return [Field("source", .string(source))]
    }
}

#else

/// The backend for swift-log, which this build of Winnow leaves out.
@available(*, unavailable, message: "add the trait SwiftLog to your dependency on Winnow")
public typealias WinnowLogHandler =
    `add traits: [.defaults, "SwiftLog"] to your dependency on Winnow`

/// What stands in for the backend, under the name that a program's errors shall show.
///
/// It is no `LogHandler`, which only swift-log has; that it is not one is the compiler's first
/// complaint, before the unavailability.
///
/// MT-Safe, AS-Safe.
public struct `add traits: [.defaults, "SwiftLog"] to your dependency on Winnow` {
    /// Creates nothing.
    public init(label: String) {}

    /// Creates nothing.
    public init<Provider>(label: String, metadataProvider: Provider?) {}
}

#endif
