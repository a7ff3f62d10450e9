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
}
