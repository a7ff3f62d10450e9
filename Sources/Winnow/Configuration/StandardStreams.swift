// SPDX-License-Identifier: Apache-2.0

/// What the process knows of the streams that it writes to.
package struct StandardStreams: Sendable {
    package var stdout = StreamFacts()
    package var stderr = StreamFacts()

    package init() {}

    /// Asks the system, and the environment for what it says of them.
    ///
    /// MT-Safe env, AS-Unsafe heap.
    package init(of environment: Environment) {
        stdout = StreamFacts(of: .stdout, in: environment)
        stderr = StreamFacts(of: .stderr, in: environment)
    }

    package subscript(stream: StandardStream) -> StreamFacts {
        switch stream {
        case .stdout: stdout
        case .stderr: stderr
        }
    }

    /// Whether what goes to one stream arrives where what goes to the other does.
    func leads(_ stream: StandardStream, whereDoes other: StandardStream) -> Bool {
        stream == other || self[stream].leads(whereDoes: self[other])
    }
}
