// SPDX-License-Identifier: Apache-2.0

/// Where a program prints.
@frozen
public enum PrintedStream: Int32, Sendable, Hashable, CaseIterable {
    /// Descriptor 1, and stdio's `stdout`.
    case stdout = 1
    /// Descriptor 2, and stdio's `stderr`.
    case stderr = 2
}
