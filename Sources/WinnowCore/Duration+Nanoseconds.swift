// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The nanoseconds, from 0 to what a clock holds.
    package var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard self > .zero else { return 0 }
        // Some hundred years.
        guard seconds < 1 << 33 else { return 1 << 62 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
