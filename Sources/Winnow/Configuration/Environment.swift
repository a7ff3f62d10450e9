// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The environment of a process, or one that a test made.
package struct Environment {
    /// Returns the value of a variable; nil where it is not set.
    private let lookup: (String) -> String?
    /// The variables whose names begin with `WINNOW_`.
    package let ownNames: [String]

    package init(ownNames: [String] = [], lookup: @escaping (String) -> String?) {
        self.lookup = lookup
        self.ownNames = ownNames
    }

    /// The value of a variable; nil where it is not set or empty.
    package subscript(name: String) -> String? {
        guard let value = lookup(name), !value.isEmpty else { return nil }
        return value
    }

    /// The environment of this process; empty where it is set-uid.
    ///
    /// Not to be called while another thread changes the environment: setenv(3).
    package static func ofProcess() -> Environment {
        Environment(ownNames: processNames()) { name in
            // SAFETY: the text is copied before anything else can run on this thread.
            unsafe cwinnow_system_environment(name).map { unsafe String(cString: $0) }
        }
    }

    private static func processNames() -> [String] {
        var names: [String] = []
        while let entry = unsafe cwinnow_system_variable(
            EnvironmentVariable.prefix,
            UInt32(names.count)
        ) {
            // SAFETY: the text is copied before anything else can run on this thread.
            let text = unsafe String(cString: entry)
            names.append(String(text.prefix { $0 != "=" }))
        }
        return names
    }
}
