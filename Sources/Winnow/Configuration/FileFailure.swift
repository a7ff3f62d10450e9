// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// Why a file cannot be a log, in words that name the remedy better than strerror(3) does.
enum FileFailure {
    static func reason(_ error: SinkError) -> String {
        switch error.systemError {
        case 0: "cannot be opened: \(error)"
        case EINVAL, ENXIO, EISDIR: "is not a regular file"
        case ELOOP: "is a symbolic link"
        case EMLINK: "has a second name, a hard link"
        default: "cannot be opened: \(systemErrorText(error.systemError))"
        }
    }

    /// Returns what was meant by a path that is no file's, in the words of the environment or of the code;
    /// nil where nobody knows.
    static func suggestion(for path: String, in origin: Winnow.Route.Origin) -> String? {
        if path == "/dev/null" {
            return origin == .code ? "filter: \"off\"" : "\(EnvironmentVariable.log)=off"
        }
        guard let sink = sinks.first(where: { $0.paths.contains(path) })?.name else { return nil }
        return origin == .code ? ".\(sink)()" : sink
    }

    /// The sinks that lead where a path does at which no file is.
    private static let sinks: [(name: String, paths: [String])] = [
        ("stdout", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]),
        ("stderr", ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2", "/dev/tty"]),
        ("syslog", [Winnow.Route.defaultSyslogPath]),
        ("journald", ["/run/systemd/journal/socket", "/run/systemd/journal/stdout"]),
    ]

    /// Whether the file may be opened later: when its folder is made, its disk mounted, a right
    /// granted, room found.
    ///
    /// Not where the path is no file's, or another's: no waiting mends that.
    static func mayPass(_ error: SinkError) -> Bool {
        switch error.systemError {
        case 0, EINVAL, ENXIO, ENODEV, EISDIR, ENOTDIR, ELOOP, EMLINK, ENAMETOOLONG: false
        default: true
        }
    }
}
