// SPDX-License-Identifier: Apache-2.0

/// A stream that a process begins with and writes to, by the name that `WINNOW_SINKS` has for it.
package enum StandardStream: String, Sendable, Hashable {
    case stdout, stderr

    /// The number that the stream has in each process.
    ///
    /// Source: stdin(3).
    package var descriptor: Int32 {
        switch self {
        case .stdout: 1
        case .stderr: 2
        }
    }
}
