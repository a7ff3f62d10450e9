// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowFormatters

extension Winnow {
    /// The settings of a program's log, which the program chooses once and early.
    ///
    /// The environment overrides it unless ``environment`` says otherwise.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Configuration: Sendable {
        /// The name of the program in the log: SYSLOG_IDENTIFIER, APP-NAME, the tag of a line.
        ///
        /// If it is nil or empty, the log uses the name of the program's file.
        public var identifier: String?
        /// The part of the system that the records come from.
        public var facility: Facility
        /// Where the records go; a record that several routes accept goes to each of them.
        ///
        /// Without routes, records go to the journal if stderr is connected to it, otherwise to stderr.
        public var routes: [Route]
        /// The levels that each category lets through.
        public var filter: Filter
        /// The format of records in files, on stderr and on stdout, unless a route has a format of its own.
        ///
        /// Nil means ``Format/text``.
        public var format: Format?
        /// How private values are written.
        public var privacy: PrivacyPolicy
        /// Which thread delivers the records to their sinks, and when.
        public var delivery: Delivery
        /// Whether signals that end the process wait until queued records are delivered.
        public var signals: SignalUse
        /// Whether other processes may see and turn the log.
        public var control: ControlUse
        /// What keeps accepted records in memory beyond the end of the process; nil for nothing.
        ///
        /// It begins with the first start of the log.
        public var recorder: Recorder?
        /// Whether the environment overrides the code.
        public var environment: EnvironmentUse

        /// Creates a configuration; omitted settings come from the environment, or are the defaults.
        public init(
            identifier: String? = nil,
            facility: Facility = .user,
            routes: [Route] = [],
            filter: Filter = "notice",
            format: Format? = nil,
            privacy: PrivacyPolicy = .redact,
            delivery: Delivery = .immediate,
            signals: SignalUse = .caught,
            control: ControlUse = .on,
            recorder: Recorder? = nil,
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
            self.control = control
            self.recorder = recorder
            self.environment = environment
        }
    }

    /// Whether signals that end the process are caught.
    ///
    /// They are caught as soon as something waits: a record for the worker of deferred delivery, a
    /// record that a sink could not take, a call for a sink of your own to return, or the count of records
    /// that a rate limit has held back.
    /// Faults and SIGABRT are handed on to the handler that was there, such as that of Swift's
    /// backtraces, when the sinks have taken what is waiting, for which they have two seconds, and what
    /// they did not take is reported: after three seconds at most. Of the other
    /// signals whose default action ends the process, such as SIGTERM and those for real time, only
    /// those that the program neither handles nor ignores are caught, and the process then ends by them.
    @frozen
    public enum SignalUse: String, Sendable, Hashable, CaseIterable {
        /// Waiting records are delivered before the process ends.
        case caught
        /// No signal is caught: records that wait when a signal ends the process are lost.
        case left
    }

    /// Whether other processes may see and turn the log.
    ///
    /// Those may that may look at the process by ptrace(2): processes of the same user with the same rights, and root.
    @frozen
    public enum ControlUse: String, Sendable, Hashable, CaseIterable {
        /// They may see it and turn it.
        case on
        /// They may see it.
        case read
        /// There is no page for them.
        case off
    }

    /// Whether the environment changes what the code configured.
    @frozen
    public enum EnvironmentUse: Sendable, Hashable {
        /// The environment overrides the code.
        case overrides
        /// No variable that configures the log or its colors is read.
        case ignored
    }

    /// The format of a record in a file, on stderr or on stdout.
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
        /// One JSON object per line.
        public static let json = Format(.json)
        /// One line of `key=value` pairs.
        public static let logfmt = Format(.logfmt)

        /// A line in the form of a pattern, as ``PatternFormatter`` reads it.
        ///
        /// ```swift
        /// format: .pattern("{time:lcl} {level:<7} {[category] }{message}{ fields}")
        /// ```
        /// ``Winnow/start(_:)`` throws if the pattern is invalid, or has no `{message}`: Winnow's own reports
        /// would be lines without a text. Its `{identifier}` is that of the
        /// configuration.
        public static func pattern(_ pattern: String) -> Format {
            do {
                return Format(.pattern(try .withMessage(pattern)))
            } catch {
                return Format(.wrong(error))
            }
        }
    }

    /// Whether text on stderr or stdout is colored.
    @frozen
    public enum Color: String, Sendable, Hashable, CaseIterable {
        /// In color on a terminal that is not dumb.
        case auto
        /// In color, wherever it goes.
        case always
        /// Without color.
        case never
    }
}
