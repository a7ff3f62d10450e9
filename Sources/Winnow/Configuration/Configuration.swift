// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowFormatters

extension Winnow {
    /// What a program decides about its log, once and early.
    ///
    /// The environment overrides it unless ``environment`` says otherwise.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Configuration: Sendable {
        /// The name of the program in the log: SYSLOG_IDENTIFIER, APP-NAME, the tag of a line.
        ///
        /// Nil and the empty text stand for the name of the program's file.
        public var identifier: String?
        /// The part of the system that the records come from.
        public var facility: Facility
        /// Where the records go; one that several routes take goes to each of them.
        ///
        /// If there is none, they go to the journal where stderr is the journal, else to stderr.
        public var routes: [Route]
        /// The levels that each category lets through.
        public var filter: Filter
        /// How the records are written to files and to stderr, unless a route says otherwise.
        ///
        /// Nil stands for ``Format/text``.
        public var format: Format?
        /// What becomes of private values.
        public var privacy: PrivacyPolicy
        /// Who brings the records to their sinks, and when.
        public var delivery: Delivery
        /// Whether signals that end the process wait until what is queued is delivered.
        public var signals: SignalUse
        /// Whether the environment has the last word.
        public var environment: EnvironmentUse

        /// Creates a configuration; what is not given is as the environment has it, or the default.
        public init(
            identifier: String? = nil,
            facility: Facility = .user,
            routes: [Route] = [],
            filter: Filter = "notice",
            format: Format? = nil,
            privacy: PrivacyPolicy = .redact,
            delivery: Delivery = .immediate,
            signals: SignalUse = .caught,
            environment: EnvironmentUse = .overrides
        ) {
            self.identifier = identifier
            self.facility = facility
            self.routes = routes
            self.filter = filter
            self.format = format
            self.privacy = privacy
            self.delivery = delivery
            self.signals = signals
            self.environment = environment
        }
    }

    /// Whether signals that end the process are caught.
    ///
    /// They are caught as soon as something waits: a record for the worker of deferred delivery, or for a
    /// sink that could not take it, or the number of those that a rate limit has held back. Faults and SIGABRT are handed on to the handler that was
    /// there, such as that of Swift's backtraces, when the sinks have taken what waits, or after three
    /// seconds; of the others, such as SIGTERM, only those that nobody handles or ignores are caught,
    /// and the process then ends by them.
    @frozen
    public enum SignalUse: String, Sendable, Hashable, CaseIterable {
        /// What waits is delivered before the process ends.
        case caught
        /// No signal is caught: what waits when one ends the process is lost.
        case left
    }

    /// Whether the environment changes what the code configured.
    @frozen
    public enum EnvironmentUse: Sendable, Hashable {
        /// The environment overrides the code.
        case overrides
        /// None of the variables that configure the log or its colors is read.
        case ignored
    }

    /// How a record is written where people and programs may read it.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Format: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case text, json, logfmt
            case pattern(PatternFormatter)
            /// A pattern of the code's that cannot be read, which a start throws.
            case wrong(PatternError)
        }

        package let kind: Kind

        package init(_ kind: Kind) {
            self.kind = kind
        }

        /// A line for people.
        public static let text = Format(.text)
        /// One JSON object a line.
        public static let json = Format(.json)
        /// One line of `key=value` pairs.
        public static let logfmt = Format(.logfmt)

        /// A line in the form of a pattern, as ``PatternFormatter`` reads it.
        ///
        /// ```swift
        /// format: .pattern("{time:lcl} {level:<7} {[category] }{message}{ fields}")
        /// ```
        /// A pattern that cannot be read is what ``Winnow/start(_:)`` throws. Its `{identifier}` is
        /// the configuration's.
        public static func pattern(_ pattern: String) -> Format {
            do {
                return Format(.pattern(try PatternFormatter(pattern)))
            } catch {
                return Format(.wrong(error))
            }
        }
    }

    /// Whether text on stderr is coloured.
    @frozen
    public enum Color: String, Sendable, Hashable, CaseIterable {
        /// In colour on a terminal that is not dumb.
        case auto
        /// In colour, wherever it goes.
        case always
        /// Without colour.
        case never
    }
}
