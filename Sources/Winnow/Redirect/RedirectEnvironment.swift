// SPDX-License-Identifier: Apache-2.0

#if Redirect
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline
package import WinnowRedirect

/// What `WINNOW_REDIRECT` says: it starts a redirect with the log, and its rules come before the
/// code's.
package enum RedirectEnvironment {
    package typealias Settings = RedirectSettings

    private final class Box: Sendable {
        let settings: Settings?

        init(_ settings: Settings?) {
            self.settings = settings
        }
    }

    /// A retained box, or 0; one is kept for each start of the log.
    private static let present = Atomic<UInt>(0)

    /// The settings of the last start of the log; nil where the variable is not set, or not read.
    static var settings: Settings? {
        guard
            let pointer = unsafe UnsafeRawPointer(
                bitPattern: present.load(ordering: .acquiring)
            )
        else { return nil }
        // SAFETY: what was stored there was retained for good.
        return unsafe Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().settings
    }

    /// Reads the value of the variable.
    ///
    /// - Parameter text: The value.
    /// - Returns: What it asks for, nil where no entry of it applies, and the problems of the others.
    static func read(
        _ text: String
    ) -> (settings: Settings?, problems: [Winnow.ConfigurationProblem]) {
        var parser = RedirectListParser()
        parser.read(text)
        let problems = parser.problems.map {
            Winnow.ConfigurationProblem(EnvironmentVariable.redirect, $0)
        }
        return (parser.settings, problems)
    }

    /// Takes the settings over, and starts the redirect that they ask for; says where it cannot.
    ///
    /// One thread at a time.
    static func adopt(_ settings: Settings?) {
        let box = unsafe Unmanaged.passRetained(Box(settings))
        present.store(UInt(bitPattern: unsafe box.toOpaque()), ordering: .releasing)
        guard let settings, !settings.isOff else { return RedirectEngine.stopReplaceable() }
        guard !RedirectEngine.isRunning else { return }
        do throws(RedirectError) {
            try RedirectEngine.start(
                settings.rules(before: [], otherwise: .pass),
                options: settings.options,
                receiver: RedirectReceiver(),
                isReplaceable: true
            )
        } catch {
            News.announce("\(EnvironmentVariable.redirect): \(error)", level: .warning)
        }
    }
}
#endif
