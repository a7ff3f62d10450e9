// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

// The libc border: the one file of this floor that asks for the numbers of errno(3).
#if canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

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
