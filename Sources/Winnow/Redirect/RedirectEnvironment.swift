// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline
internal import WinnowRedirect

/// What `WINNOW_REDIRECT` says: it starts a redirect with the log, and its rules come before the
/// code's.
enum RedirectEnvironment {
    private final class Box: Sendable {
        let settings: RedirectSettings?

        init(_ settings: RedirectSettings?) {
            self.settings = settings
        }
    }

    /// A retained box, or 0; one is kept for each start of the log.
    private static let present = Atomic<UInt>(0)

    /// The settings of the last start of the log; nil where the variable is not set, or not read.
    static var settings: RedirectSettings? {
        guard
            let pointer = unsafe UnsafeRawPointer(
                bitPattern: present.load(ordering: .acquiring)
            )
        else { return nil }
        // SAFETY: what was stored there was retained for good.
        return unsafe Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().settings
    }

    /// Takes the settings over, and starts the redirect that they ask for; says where it cannot.
    ///
    /// One thread at a time.
    static func adopt(_ settings: RedirectSettings?) {
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

extension RedirectSettings {
    /// The rules of the variable, and the code's behind them.
    func rules(
        before rules: [RedirectRule],
        otherwise: RedirectAction,
        nsLogLevel: Level = .notice
    ) -> RuleSet {
        RuleSet(
            self.rules + rules,
            otherwise: self.otherwise ?? otherwise,
            nsLogLevel: nsLogLevel
        )
    }

    /// The descriptors as options.
    var options: RedirectOptions {
        var options: RedirectOptions = []
        if descriptors.contains(.stdout) { options.insert(.stdoutDescriptor) }
        if descriptors.contains(.stderr) { options.insert(.stderrDescriptor) }
        return options
    }
}
