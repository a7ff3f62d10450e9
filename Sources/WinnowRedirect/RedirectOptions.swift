// SPDX-License-Identifier: Apache-2.0

internal import CWinnowRedirect

/// What a redirect captures besides what its hooks see.
public struct RedirectOptions: OptionSet, Sendable, Hashable {
    /// A bit for each option.
    public let rawValue: UInt32

    /// Creates options of their bits.
    ///
    /// MT-Safe, AS-Safe.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Leads descriptor 1 into a pipe, which catches children and raw system calls, too.
    ///
    /// The program's standard output is no terminal and no file any more.
    public static let stdoutDescriptor = RedirectOptions(rawValue: CWINNOW_CAPTURE_STDOUT)
    /// Leads descriptor 2 into a pipe, as ``stdoutDescriptor``.
    ///
    /// The report with which Swift ends a process still reaches the real standard error.
    public static let stderrDescriptor = RedirectOptions(rawValue: CWINNOW_CAPTURE_STDERR)
}
