// SPDX-License-Identifier: Apache-2.0

#if Redirect
public import WinnowCore
internal import WinnowPipeline
public import WinnowRedirect

/// The redirect of third-party output: rules decide what is dropped, what passes, and what is logged,
/// by the module that printed it and by its text.
///
/// ```swift
/// try Redirect.start(rules: [
///     .origin("NoisyNet", .log(.debug)),
///     .contains("deprecated", .drop),
/// ])
/// ```
/// Hooks see the calls with which a program prints: `print`, NSLog, printf(3), C++ streams, write(2).
/// Nothing else changes: no descriptor, no buffer, no terminal. ``RedirectOptions`` can capture at the
/// descriptors what hooks do not see, such as the output of children and raw system calls.
///
/// A logged line becomes a record whose category is its origin, so `WINNOW_LOG` filters it like any
/// other. It has the fields `stream` and `thread`. A line without a line break also has the field
/// `line_break`, and a line whose rule sets the category has the field `origin`. The record has the
/// time at which the line was printed, however late it is logged. Log statements, sinks and formatters
/// may print: their output goes where it went before.
///
/// A process has one redirect. `WINNOW_REDIRECT` starts it with the log, and its rules come before
/// those of the code; if it is `off`, no redirect starts.
public enum Redirect {
    /// Starts the redirect, and starts the log from the environment if nothing has started it yet.
    ///
    /// MT-Safe, AS-Unsafe lock. Not from within a sink.
    ///
    /// - Parameters:
    ///   - rules: What to do with the lines that they match; the first rule that matches applies.
    ///   - otherwise: What to do with all other lines.
    ///   - options: What to capture in addition.
    ///   - nsLogLevel: The level of NSLog's lines if a rule asks for the level of the line.
    /// - Throws: ``RedirectError``.
    public static func start(
        rules: [RedirectRule] = [],
        otherwise: RedirectAction = .pass,
        options: RedirectOptions = [],
        nsLogLevel: Level = .notice
    ) throws(RedirectError) {
        // The sinks copy the descriptors while they are what they were.
        if !Pipeline.isRunning { Startup.startFromEnvironment() }
        let environment = RedirectEnvironment.settings
        guard environment?.isOff != true else { return }
        let settings = environment ?? RedirectSettings()
        let options = options.union(settings.options)
        try RedirectEngine.start(
            settings.rules(before: rules, otherwise: otherwise, nsLogLevel: nsLogLevel),
            options: options,
            receiver: RedirectReceiver()
        )
        guard options.isEmpty, rules.contains(where: \.isForDescriptors) else { return }
        News.announce(
            "a rule of the redirect is for lines that come through a captured descriptor, and none is "
                + "captured: options: [.stdoutDescriptor, .stderrDescriptor]",
            level: .warning
        )
    }

    /// Ends the redirect; earlier output is processed first, for up to half a second.
    ///
    /// Does nothing if no redirect runs. MT-Safe, AS-Unsafe lock. Not from within a sink.
    public static func stop() {
        RedirectEngine.stop()
    }

    /// Waits until all earlier output is dropped, printed or logged.
    ///
    /// MT-Safe, AS-Unsafe lock. Not from within a sink.
    ///
    /// - Parameter deadline: How long to wait at most.
    /// - Returns: Whether all of it is; true if no redirect runs.
    @discardableResult
    public static func drain(deadline: Duration = .seconds(2)) -> Bool {
        RedirectEngine.drain(within: deadline.nanosecondsClamped)
    }

    /// What the redirect has seen and done, since the process began.
    ///
    /// MT-Safe, AS-Unsafe lock.
    public static var status: RedirectStatus { RedirectEngine.status }
}
#endif
