// SPDX-License-Identifier: Apache-2.0

/// What keeps a text from being the path of a file or of a socket.
package enum PathProblem {
    /// Says what is wrong with a path that C would read as another one; nil where nothing is.
    package static func of(_ path: String) -> String? {
        if path.isEmpty { return "a path is missing" }
        return path.utf8.contains(0) ? "a path holds no NUL" : nil
    }
}
