// SPDX-License-Identifier: Apache-2.0

/// The names of the variables that configure the log.
package enum EnvironmentVariable {
    /// What the names of the library's own variables begin with.
    static let prefix = "WINNOW_"

    package static let log = "WINNOW_LOG"
    package static let sinks = "WINNOW_SINKS"
    package static let format = "WINNOW_FORMAT"
    package static let color = "WINNOW_COLOR"
    package static let identifier = "WINNOW_IDENTIFIER"
    package static let facility = "WINNOW_FACILITY"
    package static let privacy = "WINNOW_PRIVATE"
    package static let delivery = "WINNOW_DELIVERY"
    package static let overflow = "WINNOW_OVERFLOW"
    package static let queue = "WINNOW_QUEUE"
    package static let signals = "WINNOW_SIGNALS"
    package static let control = "WINNOW_CONTROL"
    package static let recorder = "WINNOW_RECORDER"
    package static let redirect = "WINNOW_REDIRECT"

    /// The level, for programs of any language.
    package static let level = "LOG_LEVEL"
    /// Set to 1 by a manager that starts a failed service anew.
    ///
    /// Source: systemd.exec(5).
    package static let debugInvocation = "DEBUG_INVOCATION"

    /// The library's own variables, in the order in which their problems are told.
    static let own = [
        log, sinks, format, color, identifier, facility, privacy, delivery, overflow, queue,
        signals, control, recorder, redirect,
    ]

    /// What others, or one's memory, call a variable.
    static let foreign = [
        "WINNOW_LEVEL": log, "WINNOW_LOG_LEVEL": log, "WINNOW_FILTER": log, "WINNOW_FILE": sinks,
        "WINNOW_OUTPUT": sinks, "WINNOW_ROUTES": sinks, "WINNOW_NAME": identifier,
    ]

    /// What the names of variables begin with that belong to the tests of the library.
    static let testPrefix = "WINNOW_TEST_"
}
