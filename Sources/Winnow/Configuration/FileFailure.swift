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
