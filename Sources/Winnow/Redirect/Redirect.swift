// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowPipeline
public import WinnowRedirect

/// The redirect of what third-party code prints: rules say what is dropped, what passes, and what is
/// logged, by the module that printed it and by its text.
///
/// ```swift
/// try Redirect.start(rules: [
///     .origin("NoisyNet", .log(.debug)),
///     .contains("deprecated", .drop),
/// ])
/// ```
/// Hooks see the calls by which a program prints, `print`, NSLog, printf(3), C++ streams, write(2);
/// nothing else changes: no descriptor, no buffer, no terminal. What they do not see, children and
/// raw system calls among it, ``RedirectOptions`` can capture at the descriptors.
///
/// A line that is logged becomes a record whose category is its origin, so that `WINNOW_LOG` filters
/// it as any other, with the fields `stream` and `thread`; a line that no line break ended has the
/// field `line_break`, and one in a category of the rule's the field `origin`. It has the time at which it
/// was printed, however late it is logged. Log statements, sinks and formatters may print: it goes where
/// it went before.
///
/// A process has one redirect. `WINNOW_REDIRECT` starts it with the log, and its rules come before
/// those of the code; where it is `off`, none starts.
public enum Redirect {
    /// Starts the redirect; starts the log from the environment where nothing has.
    ///
    /// MT-Safe, AS-Unsafe lock. Not from within a sink.
    ///
    /// - Parameters:
    ///   - rules: What becomes of the lines that they match; the first that matches holds.
    ///   - otherwise: What becomes of all other lines.
    ///   - options: What is captured besides.
    ///   - nsLogLevel: The level of NSLog's lines where a rule asks for that of the line.
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
        try RedirectEngine.start(
            settings.rules(before: rules, otherwise: otherwise, nsLogLevel: nsLogLevel),
            options: options.union(settings.options),
            receiver: RedirectReceiver()
        )
    }

    /// Ends the redirect; what was printed before is worked off first, for up to half a second.
    ///
    /// Does nothing where none runs. MT-Safe, AS-Unsafe lock. Not from within a sink.
    public static func stop() {
        RedirectEngine.stop()
    }

    /// Waits until what was printed before is dropped, printed or logged.
    ///
    /// MT-Safe, AS-Unsafe lock. Not from within a sink.
    ///
    /// - Parameter deadline: How long to wait at most.
    /// - Returns: Whether it is; true where no redirect runs.
    @discardableResult
    public static func drain(deadline: Duration = .seconds(2)) -> Bool {
        RedirectEngine.drain(within: deadline.nanosecondsClamped)
    }

    /// What the redirect has seen and done, since the process began.
    ///
    /// MT-Safe, AS-Unsafe lock.
    public static var status: RedirectStatus { RedirectEngine.status }
}
