// SPDX-License-Identifier: Apache-2.0

/// Why a redirect could not be started.
///
/// A value: MT-Safe, AS-Unsafe heap.
public enum RedirectError: Error, Sendable, Hashable {
    /// One runs already: a process has one, as it has one standard output.
    case alreadyStarted
    /// The program calls libc without tables that hooks could be put into, as one that is linked
    /// statically does. Descriptors can be captured there, but origins are not known.
    case hooksUnavailable
    /// The system refused; the text says what, and why.
    case failed(String)
}

extension RedirectError: CustomStringConvertible {
    /// The error as a user reads it.
    public var description: String {
        switch self {
        case .alreadyStarted:
            "a redirect runs already; stop it first"
        case .hooksUnavailable:
            "this program is linked statically, so that no function can be hooked; "
                + "capture the descriptors instead: options: [.stdoutDescriptor, .stderrDescriptor]"
        case .failed(let reason):
            "the redirect cannot be started: \(reason)"
        }
    }
}
